#include "weights/sha256.h"

#include "base/assert.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace ramet {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) { start(); }

void Sha256::start() {
  const int done = EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  RAMET_ASSERT(done == 1, done);
}

void Sha256::update(std::span<const std::byte> bytes) {
  const int done = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  RAMET_ASSERT(done == 1, done);
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  const int done = EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
  RAMET_ASSERT(done == 1, done);
  start();
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace ramet
