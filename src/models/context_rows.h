// Which rows of the backbone are pictures and which are text.
#pragma once

#include "models/dit.h"
#include "models/qwen3_text_model.h"

namespace ramet {

// Pictures' tokens, and all others: the markers around a picture count as text.
ContextRows context_rows(const TextLayout& text);

}  // namespace ramet
