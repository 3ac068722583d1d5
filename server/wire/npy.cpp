#include "server/wire/npy.h"

#include "server/wire/element_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

namespace ramet::server {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr size_t kMaxHeaderBytes = 10'000;  // NumPy's own limit

tl::unexpected<Error> bad_header(std::string found) {
  return fail(Code::invalid_file, "npy header", "{'descr': TYPE, 'fortran_order': BOOL, 'shape': (INT, ...)}",
              std::move(found));
}

// What a pickle or a zip archive in the place of a .npy file is called.
std::string describe_file(std::string_view file) {
  if (file.starts_with("PK")) return "a zip archive; npz files are refused";
  if (file.starts_with("\x80")) return "a pickle; object arrays are refused";
  return "another kind of file";
}

// One pass over the header. Every method takes what it names from the front, or leaves an error.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<Array> parse() {
    Array array;
    if (!take('{')) return bad_header("no opening brace");
    while (!take('}')) {
      RAMET_TRY_STATUS(entry(array));
      if (!take(',') && peek() != '}') return bad_header("an entry that does not end");
    }
    skip_blanks();
    if (!rest_.empty()) return bad_header("text after the closing brace");
    if (seen_ != 7) return bad_header("a missing key");
    return array;
  }

 private:
  Status entry(Array& array) {
    const std::optional<std::string_view> key = string();
    if (!key || !take(':')) return bad_header("an entry without a key");
    if (*key == "descr") return descr(array);
    if (*key == "fortran_order") return fortran_order(array);
    if (*key == "shape") return shape(array);
    return bad_header("the key " + quoted(*key));
  }

  Status descr(Array& array) {
    seen_ |= 1;
    const std::optional<std::string_view> text = string();
    if (!text) {
      return fail(Code::unsupported_dtype, "npy header: descr", "a text such as '<f4'", "something else",
                  "object and record arrays are refused");
    }
    array.descr = *text;
    RAMET_TRY(array.type, parse_element_type(array.descr));
    return {};
  }

  Status fortran_order(Array& array) {
    seen_ |= 2;
    array.fortran_order = take_word("True");
    if (array.fortran_order || take_word("False")) return {};
    return bad_header("a fortran_order that is no bool");
  }

  Status shape(Array& array) {
    seen_ |= 4;
    array.shape.clear();
    if (!take('(')) return bad_header("a shape that is no tuple");
    bool ended_by_comma = true;
    while (!take(')')) {
      if (!ended_by_comma || array.shape.size() == kMaxRank) return bad_header("a shape that cannot be read");
      const std::optional<int64_t> dim = integer();
      if (!dim) return bad_header("a shape that holds no integers");
      array.shape.push_back(*dim);
      ended_by_comma = take(',');
    }
    if (array.shape.size() == 1 && !ended_by_comma) return bad_header("a shape that is no tuple");
    return {};
  }

  std::optional<std::string_view> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    if (text.find('\\') != std::string_view::npos) return std::nullopt;
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<int64_t> integer() {
    skip_blanks();
    int64_t value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  void skip_blanks() {
    const size_t start = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }
  char peek() {
    skip_blanks();
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string_view rest_;
  int seen_ = 0;  // a bit for each key
};

// NumPy leaves room for the axis along which a file may grow: 21 digits.
size_t growth_blanks(const std::vector<int64_t>& shape, bool fortran_order) {
  constexpr size_t kDigits = 21;
  if (shape.empty()) return 0;
  return kDigits - fmt::formatted_size("{}", fortran_order ? shape.back() : shape.front());
}

size_t little_endian(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

}  // namespace

Result<Array> read_npy(std::string_view file) {
  if (!file.starts_with(kMagic))
    return fail(Code::invalid_file, "npy file", "the magic \\x93NUMPY", describe_file(file));
  file.remove_prefix(kMagic.size());
  if (file.size() < 2 || file[0] < 1 || file[0] > 3 || file[1] != 0)
    return fail(Code::invalid_file, "npy file", "version 1.0, 2.0 or 3.0", "another one");
  const size_t length_bytes = file[0] == 1 ? 2 : 4;
  file.remove_prefix(2);
  if (file.size() < length_bytes) return bad_header("the end of the file");
  const size_t length = little_endian(file.substr(0, length_bytes));
  file.remove_prefix(length_bytes);
  if (length > kMaxHeaderBytes) return bad_header(fmt::format("{} bytes, over {}", length, kMaxHeaderBytes));
  if (length > file.size()) return bad_header("the end of the file");
  RAMET_TRY(Array array, HeaderParser(file.substr(0, length)).parse());
  array.bytes = file.substr(length);
  array.dialect = Dialect::npy;
  RAMET_TRY_STATUS(check_size(array));
  return array;
}

std::string npy_header(std::string_view descr, const std::vector<int64_t>& shape, bool fortran_order) {
  constexpr size_t kAlignment = 64, kPrefix = 10;
  const std::string dims = fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                   fortran_order ? "True" : "False", dims);
  header.append(growth_blanks(shape, fortran_order), ' ');
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string file(kMagic);
  file += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return file + header;
}

}  // namespace ramet::server
