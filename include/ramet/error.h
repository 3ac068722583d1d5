// Errors as values: every call that can fail because of a file, an input, the network or memory returns Result<T>.
//
// An error says where it happened, what was expected there, what was found, and what the user can do.
// RAMET_TRY passes an error on to the caller:
//
//   RAMET_TRY(const Config config, parse_config(file));   // declares `config`, or returns the error
//   RAMET_TRY_STATUS(check(config));                      // the same for a Status
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace ramet {

enum class Code {
  usage,              // the caller asked for something that makes no sense
  not_found,          // a file, key, tag or name does not exist
  invalid_file,       // a file exists but its content is not what its format allows
  invalid_value,      // a value is outside its range
  shape_mismatch,     // a tensor or array has the wrong shape
  unsupported_dtype,  // a tensor has a type that this place does not take
  unsupported,        // valid, but Ramet does not implement it
  surplus,            // something is there that nothing needs
  not_finite,         // a result or an input is NaN or infinite
  no_memory,          // not enough memory
  no_resource,        // disk, permission, instruction set: the machine cannot do it
  check_failed,       // a verification did not hold
  internal,           // a mistake of Ramet itself
};

std::string_view name(Code code);

struct Error {
  Code code = Code::internal;
  std::string where;     // file and key, tap, option: the place to look at
  std::string expected;  // the rule
  std::string found;     // the value that breaks it
  std::string hint;      // what to do; may be empty

  // One line: "WHERE: expected EXPECTED, found FOUND; HINT".
  std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Code code, std::string where, std::string expected, std::string found,
                                  std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(where), std::move(expected), std::move(found), std::move(hint)});
}

}  // namespace ramet

#define RAMET_CONCAT_IMPL(a, b) a##b
#define RAMET_CONCAT(a, b) RAMET_CONCAT_IMPL(a, b)

#define RAMET_TRY_IMPL(result, declaration, expression)                            \
  auto result = (expression);                                                      \
  if (!result) return ::tl::unexpected<::ramet::Error>(std::move(result).error()); \
  declaration = std::move(*result)

#define RAMET_TRY(declaration, expression) \
  RAMET_TRY_IMPL(RAMET_CONCAT(ramet_result_, __LINE__), declaration, expression)

#define RAMET_TRY_STATUS(expression)                                            \
  do {                                                                          \
    if (auto ramet_status = (expression); !ramet_status)                        \
      return ::tl::unexpected<::ramet::Error>(std::move(ramet_status).error()); \
  } while (false)
