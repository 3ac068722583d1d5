// The handle behind ramet_observation.
#pragma once

#include "api/c_handle.h"

struct ramet_observation {
  ramet::Observation observation;
  ramet::ErrorSlot error;
};
