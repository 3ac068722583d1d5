#include "api/c_handle.h"

#include <ramet/vision_tower.h>

#include <optional>

using namespace ramet;

struct ramet_vision_tower {
  std::optional<VisionTower> tower;
  std::optional<Encoding> encoding;
  ErrorSlot error;
};

namespace {

Result<std::vector<ImageView>> views(const ramet_image* images, size_t num_images) {
  std::vector<ImageView> views;
  if (num_images > 0) RAMET_TRY_STATUS(check_pointer(images, "images"));
  for (size_t i = 0; i < num_images; ++i) {
    RAMET_TRY(const ImageView image, required_image(images[i], "images[" + std::to_string(i) + "]"));
    views.push_back(image);
  }
  return views;
}

Status encode(ramet_vision_tower& handle, const ramet_image* images, size_t num_images,
              const ramet_encode_options* given) {
  if (!handle.tower)
    return fail(Code::usage, "tower", "a tower that ramet_vision_tower_open has opened", "one that it has not");
  RAMET_TRY(const ramet_encode_options options, read_options(given, "ramet_encode_options"));
  RAMET_TRY(const std::vector<ImageView> checked, views(images, num_images));
  RAMET_TRY(handle.encoding, handle.tower->encode(checked, {.video = options.video != 0, .taps = {}}));
  return {};
}

Status check_encoded(const ramet_vision_tower& handle, const void* target, const char* where) {
  if (!handle.encoding) return fail(Code::usage, "tower", "a ramet_vision_tower_encode before", "none that succeeded");
  return check_pointer(target, where);
}

Status check_index(size_t index, size_t count, const char* where) {
  if (index < count) return {};
  return fail(Code::not_found, where, "less than " + std::to_string(count), std::to_string(index));
}

}  // namespace

ramet_code ramet_vision_tower_open(const char* directory, const ramet_vision_tower_options* options,
                                   ramet_vision_tower** tower) {
  if (tower == nullptr) return RAMET_USAGE;
  *tower = new (std::nothrow) ramet_vision_tower;
  if (*tower == nullptr) return RAMET_NO_MEMORY;
  return run((*tower)->error, [&]() -> Status {
    RAMET_TRY(const std::string path, required_text(directory, "directory"));
    RAMET_TRY(const ramet_vision_tower_options given, read_options(options, "ramet_vision_tower_options"));
    RAMET_TRY(EngineOptions checked, engine_options(given));
    RAMET_TRY((*tower)->tower, VisionTower::open(path, std::move(checked)));
    return {};
  });
}

void ramet_vision_tower_close(ramet_vision_tower* tower) { delete tower; }

const ramet_error* ramet_vision_tower_error(const ramet_vision_tower* tower) {
  return tower == nullptr ? error_of_null() : tower->error.get();
}

ramet_code ramet_vision_tower_encode(ramet_vision_tower* tower, const ramet_image* images, size_t num_images,
                                     const ramet_encode_options* options) {
  if (tower == nullptr) return RAMET_USAGE;
  tower->encoding.reset();
  return run(tower->error, [&] { return encode(*tower, images, num_images, options); });
}

ramet_code ramet_vision_tower_out(ramet_vision_tower* tower, ramet_array* out) {
  if (tower == nullptr) return RAMET_USAGE;
  return run(tower->error, [&]() -> Status {
    RAMET_TRY_STATUS(check_encoded(*tower, out, "out"));
    *out = view(tower->encoding->out);
    return {};
  });
}

size_t ramet_vision_tower_num_deepstack(const ramet_vision_tower* tower) {
  return tower != nullptr && tower->encoding ? tower->encoding->deepstack.size() : 0;
}

ramet_code ramet_vision_tower_deepstack(ramet_vision_tower* tower, size_t level, ramet_array* rows) {
  if (tower == nullptr) return RAMET_USAGE;
  return run(tower->error, [&]() -> Status {
    RAMET_TRY_STATUS(check_encoded(*tower, rows, "rows"));
    RAMET_TRY_STATUS(check_index(level, tower->encoding->deepstack.size(), "level"));
    *rows = view(tower->encoding->deepstack[level]);
    return {};
  });
}

ramet_code ramet_vision_tower_grid(ramet_vision_tower* tower, size_t image, int64_t grid[3]) {
  if (tower == nullptr) return RAMET_USAGE;
  return run(tower->error, [&]() -> Status {
    RAMET_TRY_STATUS(check_encoded(*tower, grid, "grid"));
    RAMET_TRY_STATUS(check_index(image, tower->encoding->grid.size(), "image"));
    std::memcpy(grid, tower->encoding->grid[image].data(), 3 * sizeof(int64_t));
    return {};
  });
}
