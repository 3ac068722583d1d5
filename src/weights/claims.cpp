#include "weights/claims.h"

#include "base/names.h"
#include "weights/checkpoint_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ramet {
namespace {

constexpr size_t kNamesShown = 5;

bool is_weight_type(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16 || dtype == DType::f32; }

struct ProblemKind {
  Code code;
  std::string_view title;
};
constexpr std::array kProblemKinds{ProblemKind{Code::not_found, "missing"},
                                   ProblemKind{Code::shape_mismatch, "of another shape"},
                                   ProblemKind{Code::unsupported_dtype, "of a type other than BF16, F16, F32"},
                                   ProblemKind{Code::unsupported, "misaligned"},
                                   ProblemKind{Code::internal, "claimed twice"},
                                   ProblemKind{Code::surplus, "surplus"}};

// "FILE: TENSOR" -> "TENSOR"
std::string tensor_of(const Error& problem) {
  const size_t colon = problem.where.rfind(": ");
  return colon == std::string::npos ? problem.where : problem.where.substr(colon + 2);
}

// Shapes are worth showing, since they tell which model the file belongs to.
std::string shown(const Error& problem) {
  if (problem.code != Code::shape_mismatch) return tensor_of(problem);
  return fmt::format("{} {} instead of {}", tensor_of(problem), problem.found, problem.expected);
}

std::string summary(const std::vector<Error>& problems, const ProblemKind& kind) {
  std::vector<std::string> names;
  for (const Error& problem : problems)
    if (problem.code == kind.code) names.push_back(shown(problem));
  return names.empty() ? "" : fmt::format("{} {} ({})", names.size(), kind.title, list_names(names, kNamesShown));
}

Error combine(const std::vector<Error>& problems, std::string where) {
  std::vector<std::string> parts;
  std::optional<Code> first;
  for (const ProblemKind& kind : kProblemKinds)
    if (std::string part = summary(problems, kind); !part.empty()) {
      parts.push_back(std::move(part));
      if (!first) first = kind.code;
    }
  return {*first,
          std::move(where),
          "every tensor of the model exactly once",
          fmt::format("{}", fmt::join(parts, "; ")),
          {}};
}

}  // namespace

WeightClaims::WeightClaims(const Checkpoint& checkpoint)
    : checkpoint_(&checkpoint), taken_(checkpoint.tensors().size(), 0) {}

Weight WeightClaims::claim(std::string_view tensor, const Shape& shape, Category category) {
  wishes_.push_back({std::string(tensor), shape, category});
  if (const CheckpointTensor* found = checkpoint_->find(tensor)) return take(*found, shape, category);
  problems_.push_back({Code::not_found,
                       fmt::format("{}: {}", checkpoint_->path().string(), tensor),
                       fmt::format("a tensor {}", str(shape)),
                       "none",
                       {}});
  return {};
}

Weight WeightClaims::claim_optional(std::string_view tensor, const Shape& shape, Category category) {
  const CheckpointTensor* found = checkpoint_->find(tensor);
  return found == nullptr ? Weight{} : take(*found, shape, category);
}

Weight WeightClaims::take(const CheckpointTensor& tensor, const Shape& shape, Category category) {
  const auto refuse = [&](Code code, std::string expected, std::string found) {
    problems_.push_back({code, tensor.where(), std::move(expected), std::move(found), {}});
    return Weight{};
  };
  const SafetensorsEntry& entry = *tensor.entry;
  if (std::exchange(taken(tensor), 1) != 0) return refuse(Code::internal, "one use of this tensor", "two");
  if (entry.shape != shape) return refuse(Code::shape_mismatch, str(shape), str(entry.shape));
  if (!entry.dtype || !is_weight_type(*entry.dtype))
    return refuse(Code::unsupported_dtype, "BF16, F16 or F32", entry.dtype_name);
  const auto view = tensor.view();
  if (!view) return refuse(view.error().code, view.error().expected, view.error().found);
  count(tensor, category);
  return {tensor.name, *view, category};
}

char& WeightClaims::taken(const CheckpointTensor& tensor) {
  return taken_[static_cast<size_t>(&tensor - checkpoint_->tensors().data())];
}

void WeightClaims::count(const CheckpointTensor& tensor, Category category) {
  CategoryTotal& total = totals_[static_cast<size_t>(category)];
  ++total.tensors;
  total.bytes += tensor.entry->bytes.size();
}

void WeightClaims::ignore(std::string_view tensor, std::string_view reason) {
  const CheckpointTensor* found = checkpoint_->find(tensor);
  if (found == nullptr || std::exchange(taken(*found), 1) != 0) return;
  count(*found, Category::skipped);
  ignored_.push_back({found->name, std::string(reason)});
}

void WeightClaims::ignore_all(std::string_view prefix, std::string_view reason) {
  for (const CheckpointTensor& tensor : checkpoint_->with_prefix(prefix)) ignore(tensor.name, reason);
}

void WeightClaims::ignore_outside(std::string_view prefix, std::string_view reason) {
  for (const CheckpointTensor& tensor : checkpoint_->tensors())
    if (!tensor.name.starts_with(prefix)) ignore(tensor.name, reason);
}

std::vector<Error> WeightClaims::all_problems() const {
  std::vector<Error> problems = problems_;
  for (size_t i = 0; i < taken_.size(); ++i)
    if (taken_[i] == 0)
      problems.push_back({Code::surplus,
                          checkpoint_->tensors()[i].where(),
                          "only tensors of the model",
                          "one that it has no use for",
                          {}});
  return problems;
}

Status WeightClaims::finish() const {
  const std::vector<Error> problems = all_problems();
  if (problems.empty()) return {};
  Error error = problems.size() == 1 ? problems.front() : combine(problems, checkpoint_->path().string());
  error.hint = "this looks like " + guess(*checkpoint_).description();
  return tl::unexpected<Error>(std::move(error));
}

WeightScope::WeightScope(WeightClaims& claims, std::string prefix, Category category)
    : claims_(&claims), prefix_(std::move(prefix)), category_(category) {}

std::string WeightScope::join(std::string_view name) const {
  if (prefix_.empty() || name.empty()) return prefix_ + std::string(name);
  return fmt::format("{}.{}", prefix_, name);
}

Weight WeightScope::weight(std::string_view name, const Shape& shape) const {
  return claims_->claim(join(name), shape, category_);
}

Weight WeightScope::optional(std::string_view name, const Shape& shape) const {
  return claims_->claim_optional(join(name), shape, category_);
}

void WeightScope::ignore(std::string_view name, std::string_view reason) const { claims_->ignore(join(name), reason); }

bool WeightScope::has(std::string_view name) const { return claims_->checkpoint().find(join(name)) != nullptr; }

bool WeightScope::has_part(std::string_view name) const {
  return !claims_->checkpoint().with_prefix(join(name) + ".").empty();
}

std::optional<Shape> WeightScope::shape_of(std::string_view name) const {
  const CheckpointTensor* tensor = claims_->checkpoint().find(join(name));
  return tensor == nullptr ? std::nullopt : std::optional(tensor->entry->shape);
}

int64_t WeightScope::count(std::string_view list) const {
  const std::string prefix = join(list) + ".";
  std::set<std::string_view> indices;
  for (const CheckpointTensor& tensor : claims_->checkpoint().with_prefix(prefix)) {
    const std::string_view rest = std::string_view(tensor.name).substr(prefix.size());
    const std::string_view index = rest.substr(0, rest.find('.'));
    if (index.find_first_not_of("0123456789") == std::string_view::npos) indices.insert(index);
  }
  return static_cast<int64_t>(indices.size());
}

}  // namespace ramet
