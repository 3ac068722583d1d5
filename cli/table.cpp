#include "table.h"

#include "text.h"

#include "base/assert.h"

#include <unicode/utf8.h>

#include <algorithm>

namespace ramet::cli {
namespace {

size_t letters(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return !U8_IS_TRAIL(c); }));
}

std::string padded(const std::string& cell, size_t width, Align align) {
  const std::string blanks(width - letters(cell), ' ');
  return align == Align::left ? cell + blanks : blanks + cell;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

Table::Table(std::vector<std::string> titles, std::vector<Align> alignment) : alignment_(std::move(alignment)) {
  add(std::move(titles));
}

void Table::add(std::vector<std::string> cells) {
  RAMET_ASSERT(cells.size() == alignment_.size(), cells.size(), alignment_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text(int indent) const {
  std::vector<size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  std::string lines;
  for (const auto& row : rows_) {
    std::string line(static_cast<size_t>(indent), ' ');
    for (size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : "  ") + padded(row[i], widths[i], alignment_[i]);
    lines += without_trailing_blanks(std::move(line)) + "\n";
  }
  return lines;
}

}  // namespace ramet::cli
