// Which products may round what: one ops::Precision for each site (weights/site.h).
//
//   "bf16"                                        a preset
//   "int8,vision.block.0-5=bf16,*.fc2=fp32"       a preset, then overrides; the last that names a site counts
//
// The parts of an override are compared with those of a site one by one: `*`, `?` and `[...]` as in a shell, `0-5` a
// range of blocks. An override with fewer parts means everything below it ("vision.block.3" all products of the block);
// a leading `*.` stands for any number of parts.
//
// Presets: fp32, bf16, int8. bf16 and int8 keep the patch embedding in fp32: it costs next to nothing, and all that
// follows would inherit the rounding of the picture. int8 keeps in bf16 what also costs little and feeds much: the
// mergers of the tower, and the encoders and decoders of the robot; and the products whose rows have outliers,
// down_proj of the text stack and fc2 of the tower.
#pragma once

#include "ops/product_kernel.h"

#include <ramet/error.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

class PrecisionTable {
 public:
  PrecisionTable() = default;  // bf16 everywhere
  static Result<PrecisionTable> parse(std::string_view text);

  ops::Precision at(std::string_view site) const;
  ops::Precision base() const { return base_; }      // of sites without an override
  const std::string& text() const { return text_; }  // as it was given
  std::string meaning() const;                       // the same with what the preset stands for in this version

  // Every override names at least one of the sites. usage: lists the nearest sites.
  Status check(const std::vector<std::string>& sites) const;

 private:
  struct Override {
    std::string pattern;
    ops::Precision precision;
    bool is_preset;  // belongs to a preset: need not name a site of every model
  };

  std::string text_ = "bf16";
  ops::Precision base_ = ops::Precision::bf16;
  std::vector<Override> overrides_;
};

}  // namespace ramet
