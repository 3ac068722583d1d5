#include "models/context_rows.h"

namespace ramet {

ContextRows context_rows(const TextLayout& text) {
  ContextRows rows{.text = {}, .image = text.visual_rows};
  size_t next = 0;
  for (int64_t token = 0; token < text.tokens(); ++token) {
    if (next < text.visual_rows.size() && text.visual_rows[next] == token)
      ++next;
    else
      rows.text.push_back(token);
  }
  return rows;
}

}  // namespace ramet
