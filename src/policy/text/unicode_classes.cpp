#include "policy/text/unicode_classes.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ramet {
namespace {

constexpr int kClassBits = 3;
constexpr uint32_t kChanges[] = {
#include "policy/text/unicode_classes_data.inc"
};

constexpr CharClass search(char32_t c) {
  const uint32_t last_of_c = static_cast<uint32_t>(c) << kClassBits | ((1u << kClassBits) - 1);
  const uint32_t* after = std::upper_bound(std::begin(kChanges), std::end(kChanges), last_of_c);
  return static_cast<CharClass>(*(after - 1) & ((1u << kClassBits) - 1));
}

constexpr std::array<CharClass, 128> kAscii = [] {
  std::array<CharClass, 128> classes{};
  for (size_t c = 0; c < classes.size(); ++c) classes[c] = search(static_cast<char32_t>(c));
  return classes;
}();

}  // namespace

CharClass char_class(char32_t c) { return c < kAscii.size() ? kAscii[c] : search(c); }

}  // namespace ramet
