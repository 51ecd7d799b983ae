// Text compressed as it is written.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace heed {

// Compresses into one gzip member, piece by piece, in constant memory. The same text gives the same
// bytes: the header holds neither a time nor a name.
class GzipWriter {
 public:
  // `sink` takes the compressed bytes; what it throws passes through.
  explicit GzipWriter(std::function<void(std::string_view)> sink);
  ~GzipWriter();
  GzipWriter(GzipWriter&&) noexcept;
  GzipWriter& operator=(GzipWriter&&) noexcept;

  void write(std::string_view text);
  // The end of the data, without which it cannot be read. Once.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed
