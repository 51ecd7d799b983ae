#include <fmt/format.h>
#include <sodium.h>

#include <array>

#include "heed/core/error.h"
#include "heed/serve/page/page_files.h"

namespace heed {
namespace {

// As a source of a policy: 'sha256-...'.
std::string hash_source(std::string_view content) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(content.data()),
                     content.size());
  std::array<char, sodium_base64_ENCODED_LEN(hash.size(), sodium_base64_VARIANT_ORIGINAL)> text;
  sodium_bin2base64(text.data(), text.size(), hash.data(), hash.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  return fmt::format("'sha256-{}'", text.data());
}

// The hashes of all elements with this tag and without attributes. Those with attributes are data
// (type=...), not scripts.
std::string hash_sources(std::string_view html, std::string_view tag) {
  const std::string begin = fmt::format("<{}>", tag), end = fmt::format("</{}>", tag);
  std::string sources;
  for (;;) {
    const size_t at = html.find(begin);
    if (at == html.npos) return sources;
    html.remove_prefix(at + begin.size());
    sources += " " + hash_source(html.substr(0, html.find(end)));
  }
}

}  // namespace

std::string content_security_policy(std::string_view embedded_html) {
  check(sodium_init() >= 0, "libsodium cannot be initialized");
  return fmt::format(
      "default-src 'none'; script-src 'self'{}; style-src 'self'{}; img-src 'self'; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      hash_sources(embedded_html, "script"), hash_sources(embedded_html, "style"));
}

}  // namespace heed
