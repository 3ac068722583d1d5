#include "api/c_user_test.h"

#include <stdio.h>
#include <string.h>

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ != 201112L
#error "compile this as C11"
#endif

_Static_assert(RAMET_OK == 0, "a code is false when nothing failed");

static size_t elements(const ramet_array* array) {
  size_t count = 1;
  for (size_t axis = 0; axis < array->rank; ++axis) count *= (size_t)array->shape[axis];
  return count;
}

static size_t append(const ramet_array* array, float* values, size_t capacity, size_t used) {
  const size_t count = elements(array);
  if (used + count <= capacity) memcpy(values + used, array->values, count * sizeof(float));
  return used + count;
}

static size_t copy_actions(ramet_policy* policy, float* values, size_t capacity) {
  size_t used = 0;
  for (size_t i = 0; i < ramet_policy_num_actions(policy); ++i) {
    ramet_array action;
    if (ramet_policy_action(policy, ramet_policy_action_key(policy, i), &action) != RAMET_OK) return 0;
    used = append(&action, values, capacity, used);
  }
  return used;
}

size_t c_user_act(const char* directory, const ramet_policy_options* options, const ramet_observation* observation,
                  const ramet_act_options* act, float* values, size_t capacity, char message[512]) {
  ramet_policy* policy = NULL;
  size_t count = 0;
  if (ramet_policy_open(directory, options, &policy) == RAMET_OK &&
      ramet_policy_act(policy, observation, act) == RAMET_OK)
    count = copy_actions(policy, values, capacity);
  snprintf(message, 512, "%s", ramet_policy_error(policy)->message);
  ramet_policy_close(policy);
  return count;
}

size_t c_user_encode(const char* directory, const ramet_image* images, size_t num_images, float* values,
                     size_t capacity, char message[512]) {
  ramet_vision_tower_options options = RAMET_VISION_TOWER_OPTIONS_INIT;
  ramet_vision_tower* tower = NULL;
  ramet_array out;
  size_t count = 0;
  options.threads = 1;
  if (ramet_vision_tower_open(directory, &options, &tower) == RAMET_OK &&
      ramet_vision_tower_encode(tower, images, num_images, NULL) == RAMET_OK &&
      ramet_vision_tower_out(tower, &out) == RAMET_OK)
    count = append(&out, values, capacity, 0);
  snprintf(message, 512, "%s", ramet_vision_tower_error(tower)->message);
  ramet_vision_tower_close(tower);
  return count;
}
