// What the handles of the C interface share: the error of the last call as C texts, and calls from which nothing
// throws.
#pragma once

#include "api/guard.h"

#include <ramet/ramet.h>
#include <ramet/types.h>

#include <cstring>
#include <string>

namespace ramet {

ramet_code c_code(Code code);

// The texts point into the slot, which therefore stays where it is.
class ErrorSlot {
 public:
  ErrorSlot() { clear(); }
  ErrorSlot(const ErrorSlot&) = delete;
  ErrorSlot& operator=(const ErrorSlot&) = delete;

  const ramet_error* get() const { return &texts_; }
  void clear();
  ramet_code set(Error error);
  ramet_code set_no_memory();

 private:
  Error error_;
  std::string message_;
  ramet_error texts_;
};

const ramet_error* error_of_null();  // what a function that asks NULL for its error gives

// Runs a Status(): its error goes into the slot. Nothing leaves but a code.
template <class Call>
ramet_code run(ErrorSlot& slot, const Call& call) noexcept {
  slot.clear();
  try {
    const Status status = guarded(call);
    return status ? RAMET_OK : slot.set(status.error());
  } catch (...) {  // no memory for the error itself
    return slot.set_no_memory();
  }
}

// A struct of an earlier header is filled up with zeros. Errors: usage, for one of a later header.
template <class Options>
Result<Options> read_options(const Options* given, const char* name) {
  Options options{};
  if (given == nullptr) return options;
  if (given->size < sizeof(size_t) || given->size > sizeof(Options))
    return fail(Code::usage, std::string(name) + ".size", "at most " + std::to_string(sizeof(Options)),
                std::to_string(given->size), "compile with the header of this library; its _INIT macro sets the size");
  std::memcpy(static_cast<void*>(&options), given, given->size);
  return options;
}

inline std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }
Result<std::string> required_text(const char* text, const char* where);  // errors: usage, for NULL
Result<ImageView> required_image(const ramet_image& image, const std::string& where);
Status check_pointer(const void* pointer, const char* where);

Result<ExecutorKind> executor_of(const char* name);  // errors: usage

// The fields that the options of policy and tower share. Errors: usage.
template <class Options>
Result<EngineOptions> engine_options(const Options& c) {
  EngineOptions options;
  options.threads = c.threads;
  RAMET_TRY(options.executor, executor_of(c.executor));
  if (c.precision != nullptr) options.precision = c.precision;
  options.isa = text_or_empty(c.isa);
  options.cache = text_or_empty(c.cache);
  options.backbone = text_or_empty(c.backbone);
  return options;
}

ramet_array view(const FloatArray& array);

}  // namespace ramet
