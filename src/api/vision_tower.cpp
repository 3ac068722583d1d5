#include <ramet/vision_tower.h>

#include "api/guard.h"
#include "policy/tower_engine.h"

namespace ramet {

struct VisionTower::Impl {
  std::unique_ptr<TowerEngine> engine;
};

VisionTower::VisionTower(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VisionTower::VisionTower(VisionTower&&) noexcept = default;
VisionTower& VisionTower::operator=(VisionTower&&) noexcept = default;
VisionTower::~VisionTower() = default;

Result<VisionTower> VisionTower::open(const std::filesystem::path& directory, EngineOptions options) {
  return guarded([&]() -> Result<VisionTower> {
    RAMET_TRY(std::unique_ptr<TowerEngine> engine, TowerEngine::open(directory, std::move(options)));
    return VisionTower(std::make_unique<Impl>(Impl{std::move(engine)}));
  });
}

Result<Encoding> VisionTower::encode(std::span<const ImageView> images, const EncodeOptions& options) {
  return guarded([&] { return impl_->engine->encode(images, options); });
}

int VisionTower::threads() const { return facts().threads; }
ExecutionFacts VisionTower::facts() const { return impl_->engine->facts(); }

}  // namespace ramet
