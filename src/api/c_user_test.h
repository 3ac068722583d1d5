/* A user of the C interface, written in C. */
#ifndef RAMET_API_C_USER_TEST_H
#define RAMET_API_C_USER_TEST_H

#include <ramet/ramet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens, acts once, copies all actions in the order of their keys and closes. Returns how many numbers there are; 0 and
 * the message after a failure. */
size_t c_user_act(const char* directory, const ramet_policy_options* options, const ramet_observation* observation,
                  const ramet_act_options* act, float* values, size_t capacity, char message[512]);

/* The same for a tower's `out`. */
size_t c_user_encode(const char* directory, const ramet_image* images, size_t num_images, float* values,
                     size_t capacity, char message[512]);

#ifdef __cplusplus
}
#endif

#endif
