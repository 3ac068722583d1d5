#include "report.h"

#include "text.h"

#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

constexpr size_t kMaxPart = 600;  // bytes of one part of an error

Error printable_parts(const Error& error) {
  return {.code = error.code,
          .where = printable(error.where, kMaxPart),
          .expected = printable(error.expected, kMaxPart),
          .found = printable(error.found, kMaxPart),
          .hint = printable(error.hint, kMaxPart)};
}

}  // namespace

int exit_status(Code code) {
  switch (code) {
    case Code::usage: return kUsage;
    case Code::not_found:
    case Code::invalid_file:
    case Code::invalid_value:
    case Code::shape_mismatch:
    case Code::unsupported_dtype:
    case Code::unsupported:
    case Code::surplus:
    case Code::not_finite: return kBadInput;
    case Code::no_memory:
    case Code::no_resource: return kMachine;
    case Code::check_failed: return kCheckFailed;
    case Code::internal: return kInternal;
  }
  return kInternal;
}

std::string error_line(const Error& error) { return printable_parts(error).message(); }

nlohmann::ordered_json error_document(const Error& error) {
  const Error shown = printable_parts(error);
  return {{"error",
           {{"code", name(shown.code)},
            {"where", shown.where},
            {"expected", shown.expected},
            {"found", shown.found},
            {"hint", shown.hint}}}};
}

}  // namespace ramet::cli
