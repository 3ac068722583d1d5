// Columns of text, each as wide as its longest cell.
#pragma once

#include <string>
#include <vector>

namespace ramet::cli {

enum class Align { left, right };

class Table {
 public:
  Table(std::vector<std::string> titles, std::vector<Align> alignment);  // as many of both

  void add(std::vector<std::string> cells);  // as many as titles
  bool empty() const { return rows_.size() == 1; }
  std::string text(int indent = 0) const;  // title line and rows, two blanks between columns

 private:
  std::vector<Align> alignment_;
  std::vector<std::vector<std::string>> rows_;  // the titles first
};

}  // namespace ramet::cli
