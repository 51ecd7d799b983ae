// Writes compressed text.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace heed {

// Compresses into one gzip member, in constant memory. The same text gives the same bytes: the
// header contains neither a time nor a name.
class GzipWriter {
 public:
  // `sink` is called with the compressed bytes; its exceptions are passed on.
  explicit GzipWriter(std::function<void(std::string_view)> sink);
  ~GzipWriter();
  GzipWriter(GzipWriter&&) noexcept;
  GzipWriter& operator=(GzipWriter&&) noexcept;

  void write(std::string_view text);
  // Writes the end of the gzip member, without which it cannot be read. Call once.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed
