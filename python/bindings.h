// The extension module ramet._ramet: plain values and NumPy arrays in and out of the public C++ interface. What users
// see, with its checks and shapes, is written in Python around it: ramet/*.py.
//
// Pictures are borrowed for the length of a call; results are handed to NumPy without a copy. The GIL is released while
// the library works.
#pragma once

#include <ramet/types.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ramet::python {

namespace nb = nanobind;

// Raises the exception of ramet/errors.py that belongs to the error's code.
[[noreturn]] void raise(const Error& error);

template <class T>
T value_of(Result<T> result) {
  if (!result) raise(result.error());
  return std::move(*result);
}

using GivenSettings = std::map<std::string, std::string>;  // setting -> text, as on the command line

using Picture = nb::ndarray<const uint8_t, nb::shape<-1, -1, 3>, nb::c_contig, nb::device::cpu>;
inline ImageView view(const Picture& picture) {
  return {.rgb = {picture.data(), picture.size()},
          .height = static_cast<int64_t>(picture.shape(0)),
          .width = static_cast<int64_t>(picture.shape(1))};
}

// An array that owns `values`.
template <class T>
nb::object to_numpy(const std::vector<int64_t>& shape, std::vector<T> values) {
  const std::vector<size_t> dims(shape.begin(), shape.end());
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  const nb::capsule capsule(owner.get(), [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
  const nb::ndarray<nb::numpy, T> array(owner.release()->data(), dims.size(), dims.data(), capsule);
  return nb::cast(array);
}

inline nb::object to_numpy(FloatArray array) { return to_numpy(array.shape, std::move(array.values)); }

nb::dict to_dict(const std::vector<StageMs>& timing);  // stage -> milliseconds
nb::dict to_dict(const ExecutionFacts& facts);

void bind_image(nb::module_& module);
void bind_policy(nb::module_& module);
void bind_vision_tower(nb::module_& module);

}  // namespace ramet::python
