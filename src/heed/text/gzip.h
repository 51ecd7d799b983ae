// Writes compressed text.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace heed {

// Compresses into one gzip member, in constant memory. The same text gives the same bytes: the
// header contains neither a time nor a name.
class GzipWriter {
 public:
  // `sink` is called with the compressed bytes; its exceptions are passed on.
  explicit GzipWriter(std::function<void(std::string_view)> sink);

  void write(std::string_view text);
  // Writes the end of the gzip member, without which it cannot be read. Call once.
  void finish();

 private:
  struct End {
    void operator()(z_stream_s* stream) const;
  };
  void run(int flush);

  std::function<void(std::string_view)> sink_;
  std::unique_ptr<z_stream_s, End> stream_;
  std::vector<char> output_;
};

}  // namespace heed
