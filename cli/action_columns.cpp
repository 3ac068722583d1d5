#include "action_columns.h"

#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace ramet::cli {
namespace {

constexpr int kStepWidth = 4;
constexpr int kNumberWidth = 10;
constexpr int kGap = 2;            // before each key
constexpr float kMaxFixed = 1e5F;  // from here on numbers are written with an exponent
constexpr float kMinFixed = 1e-3F;

// The columns of one key, and how wide they stand together.
struct KeyBlock {
  std::span<const ActionColumn> columns;
  int width = 0;
};

int block_width(std::span<const ActionColumn> columns) {
  return std::max(static_cast<int>(columns.size()) * kNumberWidth, static_cast<int>(columns.front().key.size()));
}

std::vector<KeyBlock> key_blocks(std::span<const ActionColumn> columns) {
  std::vector<KeyBlock> blocks;
  while (!columns.empty()) {
    const std::span<const ActionColumn> of_key = columns.first(static_cast<size_t>(columns.front().dims));
    blocks.push_back({of_key, block_width(of_key)});
    columns = columns.subspan(of_key.size());
  }
  return blocks;
}

// Plain decimals unless a column holds very large numbers, or only very small ones.
bool fits_fixed(const ActionColumn& column, int64_t horizon) {
  float largest = 0;
  for (int64_t step = 0; step < horizon; ++step) largest = std::max(largest, std::abs(column.at(step)));
  return largest == 0 || (largest >= kMinFixed && largest < kMaxFixed);
}

std::string number(const ActionColumn& column, int64_t step, int64_t horizon) {
  return fits_fixed(column, horizon) ? fmt::format("{:{}.4f}", column.at(step), kNumberWidth)
                                     : fmt::format("{:{}.2e}", column.at(step), kNumberWidth);
}

template <class Cell>
std::string line(std::string start, std::span<const KeyBlock> blocks, Cell cell) {
  for (const KeyBlock& block : blocks) start += fmt::format("{:{}}{:>{}}", "", kGap, cell(block), block.width);
  start.erase(start.find_last_not_of(' ') + 1);
  return start + "\n";
}

std::string dim_numbers(const KeyBlock& block) {
  if (block.columns.size() == 1) return "";
  std::string cells;
  for (const ActionColumn& column : block.columns)
    cells += fmt::format("{:>{}}", fmt::format("[{}]", column.dim), kNumberWidth);
  return cells;
}

std::string table_of(std::span<const KeyBlock> blocks, int64_t horizon) {
  std::string text = line(fmt::format("{:{}}", "", kStepWidth), blocks,
                          [](const KeyBlock& block) { return printable(block.columns.front().key); });
  text += line(fmt::format("{:>{}}", "step", kStepWidth), blocks, dim_numbers);
  for (int64_t step = 0; step < horizon; ++step)
    text += line(fmt::format("{:>{}}", step, kStepWidth), blocks, [&](const KeyBlock& block) {
      std::string cells;
      for (const ActionColumn& column : block.columns) cells += number(column, step, horizon);
      return cells;
    });
  return text;
}

// How many of the blocks stand beside each other; at least one.
size_t blocks_that_fit(std::span<const KeyBlock> blocks, int terminal_columns) {
  size_t count = 0;
  for (int width = kStepWidth; count < blocks.size(); ++count) {
    width += kGap + blocks[count].width;
    if (count > 0 && width > terminal_columns) break;
  }
  return count;
}

}  // namespace

std::string ActionColumn::name() const { return dims == 1 ? key : fmt::format("{}[{}]", key, dim); }

std::vector<ActionColumn> action_columns(const Actions& actions) {
  std::vector<ActionColumn> columns;
  for (const std::string& key : actions.keys) {
    const FloatArray& array = actions.actions.at(key);
    const auto dims = static_cast<int64_t>(array.values.size()) / std::max<int64_t>(actions.horizon, 1);
    for (int64_t dim = 0; dim < dims; ++dim) columns.push_back({key, dim, dims, &array});
  }
  return columns;
}

std::string action_table(const Actions& actions, int terminal_columns) {
  const std::vector<ActionColumn> columns = action_columns(actions);
  const std::vector<KeyBlock> blocks = key_blocks(columns);
  std::string text;
  for (std::span<const KeyBlock> left = blocks; !left.empty();) {
    const size_t count = blocks_that_fit(left, terminal_columns);
    text += (text.empty() ? "" : "\n") + table_of(left.first(count), actions.horizon);
    left = left.subspan(count);
  }
  return text;
}

}  // namespace ramet::cli
