/* Links the whole library from C: opening a directory that does not exist must be an error, not a crash. */
#include <ramet/ramet.h>

#include <stdio.h>

int main(void) {
  ramet_policy* policy = NULL;
  const ramet_code code = ramet_policy_open("no/such/directory", NULL, &policy);
  printf("ramet %s from C: %s\n", ramet_version(), ramet_policy_error(policy)->message);
  ramet_policy_close(policy);
  return code == RAMET_NOT_FOUND ? 0 : 1;
}
