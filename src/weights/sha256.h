// SHA-256 of a stream of bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // of OpenSSL

namespace ramet {

class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  std::string finish();  // 64 hexadecimal digits; the next update starts a new stream

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  void start();
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace ramet
