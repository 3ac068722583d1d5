#include "bindings.h"

#include <ramet/version.h>

#include <nanobind/stl/string.h>

namespace ramet::python {

void raise(const Error& error) {
  const nb::object exception =
      nb::module_::import_("ramet.errors")
          .attr("from_code")(std::string(name(error.code)), error.where, error.expected, error.found, error.hint);
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

nb::dict to_dict(const std::vector<StageMs>& timing) {
  nb::dict stages;
  for (const StageMs& stage : timing) stages[stage.stage.c_str()] = stage.ms;
  return stages;
}

nb::dict to_dict(const ExecutionFacts& facts) {
  nb::dict fields;
  fields["executor"] = facts.executor;
  fields["precision"] = facts.precision;
  fields["isa"] = facts.isa;
  fields["threads"] = facts.threads;
  return fields;
}

}  // namespace ramet::python

NB_MODULE(_ramet, module) {
  module.doc() = "The compiled part of ramet.";
  module.attr("__version__") = ramet::kVersion;
  ramet::python::bind_image(module);
  ramet::python::bind_policy(module);
  ramet::python::bind_vision_tower(module);
}
