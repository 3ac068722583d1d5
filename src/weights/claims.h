// Every tensor of a checkpoint is claimed exactly once, by the part of the model that uses it.
//
//   WeightClaims claims(checkpoint);
//   WeightScope block = WeightScope(claims, "backbone.model.model.visual", Category::vision).scope("blocks.3");
//   norm1 = block.weight("norm1.weight", {hidden_size});
//   ...
//   claims.ignore("backbone.model.lm_head.weight", "tied to the token table");
//   RAMET_TRY_STATUS(claims.finish());
//
// A claim that fails is recorded and yields an empty Weight, so that a model is built to its end and `finish` can list
// everything at once: missing, surplus, wrongly shaped, wrongly typed and twice claimed tensors, and what the directory
// probably is. Only headers are read. Weights may be BF16, F16 or F32.
//
// Weights point into the checkpoint, which must outlive them; scopes point at the claims.
//
// Errors of finish: the one problem as it is, or for several the code of the first kind that occurs, in the order
// not_found, shape_mismatch, unsupported_dtype, unsupported (misaligned data), internal (claimed twice), surplus.
// Source: spec weight-plan, section 9.2.
#pragma once

#include "weights/category.h"
#include "weights/checkpoint.h"

#include <ramet/error.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct Weight {
  std::string_view name;
  ConstView view;
  Category category = Category::skipped;
  int64_t slot = -1;  // >= 0: the view is this slice of the tensor's first dimension

  std::string label() const { return slot < 0 ? std::string(name) : std::string(name) + "#" + std::to_string(slot); }
  explicit operator bool() const { return view.bytes() != nullptr; }
};

struct IgnoredTensor {
  std::string_view name;
  std::string reason;
};

class WeightClaims {
 public:
  explicit WeightClaims(const Checkpoint& checkpoint);

  Weight claim(std::string_view tensor, const Shape& shape, Category category);
  Weight claim_optional(std::string_view tensor, const Shape& shape, Category category);  // absent is no problem
  void ignore(std::string_view tensor, std::string_view reason);                          // absent is no problem
  void ignore_all(std::string_view prefix, std::string_view reason);                      // what is not claimed yet
  void ignore_outside(std::string_view prefix, std::string_view reason);                  // all without this prefix
  Status finish() const;

  const Checkpoint& checkpoint() const { return *checkpoint_; }
  // Every tensor that was asked for, found or not: with an empty Checkpoint, the list of what a model needs.
  struct Wish {
    std::string name;
    Shape shape;
    Category category;
  };
  const std::vector<Wish>& wishes() const { return wishes_; }
  const CategoryTotals& totals() const { return totals_; }
  const std::vector<IgnoredTensor>& ignored() const { return ignored_; }

 private:
  Weight take(const CheckpointTensor& tensor, const Shape& shape, Category category);
  char& taken(const CheckpointTensor& tensor);
  void count(const CheckpointTensor& tensor, Category category);
  std::vector<Error> all_problems() const;

  const Checkpoint* checkpoint_;
  std::vector<char> taken_;  // by position in checkpoint().tensors()
  std::vector<Wish> wishes_;
  std::vector<Error> problems_;
  std::vector<IgnoredTensor> ignored_;
  CategoryTotals totals_{};
};

// Claims under a common prefix: "blocks.3" + "norm1.weight" = "blocks.3.norm1.weight".
class WeightScope {
 public:
  WeightScope(WeightClaims& claims, std::string prefix, Category category);

  // An empty name is this scope itself, for another category.
  WeightScope scope(std::string_view name) const { return {*claims_, join(name), category_}; }
  WeightScope scope(std::string_view name, Category category) const { return {*claims_, join(name), category}; }

  Weight weight(std::string_view name, const Shape& shape) const;
  Weight optional(std::string_view name, const Shape& shape) const;
  void ignore(std::string_view name, std::string_view reason) const;

  bool has(std::string_view name) const;                       // this tensor
  bool has_part(std::string_view name) const;                  // a tensor below it
  std::optional<Shape> shape_of(std::string_view name) const;  // for sizes that only the tensors tell
  int64_t count(std::string_view list) const;  // different N in "list.N.*": the number of blocks, if none is missing
  const std::string& prefix() const { return prefix_; }

 private:
  std::string join(std::string_view name) const;

  WeightClaims* claims_;
  std::string prefix_;
  Category category_;
};

}  // namespace ramet
