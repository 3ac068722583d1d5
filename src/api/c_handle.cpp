#include "api/c_handle.h"

#include <limits>

namespace ramet {

ramet_code c_code(Code code) {
  static_assert(static_cast<int>(Code::usage) + 1 == RAMET_USAGE);
  static_assert(static_cast<int>(Code::not_finite) + 1 == RAMET_NOT_FINITE);
  static_assert(static_cast<int>(Code::internal) + 1 == RAMET_INTERNAL);
  return static_cast<ramet_code>(static_cast<int>(code) + 1);
}

void ErrorSlot::clear() { texts_ = {RAMET_OK, "", "", "", "", ""}; }

ramet_code ErrorSlot::set(Error error) {
  error_ = std::move(error);
  message_ = error_.message();
  texts_ = {c_code(error_.code),  error_.where.c_str(), error_.expected.c_str(),
            error_.found.c_str(), error_.hint.c_str(),  message_.c_str()};
  return texts_.code;
}

ramet_code ErrorSlot::set_no_memory() {
  texts_ = {RAMET_NO_MEMORY, "memory", "enough memory",
            "none left",     "",       "memory: expected enough memory, found none left"};
  return texts_.code;
}

const ramet_error* error_of_null() {
  static constexpr ramet_error kError{RAMET_USAGE, "handle", "a handle",
                                      "NULL",      "",       "handle: expected a handle, found NULL"};
  return &kError;
}

Status check_pointer(const void* pointer, const char* where) {
  if (pointer != nullptr) return {};
  return fail(Code::usage, where, "a pointer", "NULL");
}

Result<std::string> required_text(const char* text, const char* where) {
  RAMET_TRY_STATUS(check_pointer(text, where));
  return std::string(text);
}

Result<ImageView> required_image(const ramet_image& image, const std::string& where) {
  constexpr int64_t kMaxSide = std::numeric_limits<int32_t>::max();
  RAMET_TRY_STATUS(check_pointer(image.rgb, (where + ".rgb").c_str()));
  for (const int64_t side : {image.height, image.width})
    if (side < 1 || side > kMaxSide)
      return fail(Code::invalid_value, where, "height and width of at least 1",
                  std::to_string(image.height) + " x " + std::to_string(image.width));
  const size_t bytes = static_cast<size_t>(image.height) * static_cast<size_t>(image.width) * 3;
  return ImageView{.rgb = {image.rgb, bytes}, .height = image.height, .width = image.width};
}

Result<ExecutorKind> executor_of(const char* name) {
  const std::string text = text_or_empty(name);
  if (name == nullptr || text == "tuned") return ExecutorKind::tuned;
  if (text == "oracle") return ExecutorKind::oracle;
  return fail(Code::usage, "executor", "tuned or oracle", text);
}

ramet_array view(const FloatArray& array) {
  return {.values = array.values.data(), .shape = array.shape.data(), .rank = array.shape.size()};
}

}  // namespace ramet

const char* ramet_version(void) { return RAMET_VERSION; }

const char* ramet_code_name(ramet_code code) {
  if (code == RAMET_OK) return "ok";
  if (code < RAMET_USAGE || code > RAMET_INTERNAL) return "unknown";
  return ramet::name(static_cast<ramet::Code>(code - 1)).data();  // a literal: it ends in a zero byte
}
