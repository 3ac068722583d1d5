#include "program/program.h"

namespace ramet {

std::string_view op_name(const Op& op) {
  return std::visit([](const auto& typed) { return std::decay_t<decltype(typed)>::kName; }, op);
}

}  // namespace ramet
