// Links the whole library: opening a directory that does not exist must be an error, not a crash.
#include <ramet/policy.h>
#include <ramet/version.h>

#include <cstdio>

int main() {
  const auto policy = ramet::Policy::open("no/such/directory");
  if (policy) return 1;
  std::printf("ramet %s: %s\n", ramet::kVersion, policy.error().message().c_str());
  return 0;
}
