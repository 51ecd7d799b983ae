#include "heed/text/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "heed/core/error.h"

namespace heed {

struct GzipWriter::State {
  std::function<void(std::string_view)> sink;
  z_stream stream = {};
  std::vector<char> output = std::vector<char>(size_t{1} << 16);

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { deflateEnd(&stream); }

  // Compresses the input of the stream and passes the result to the sink.
  void run(int flush) {
    int result = Z_OK;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(output.data());
      stream.avail_out = uInt(output.size());
      result = deflate(&stream, flush);
      check(result != Z_STREAM_ERROR, "deflate in an inconsistent state");
      sink({output.data(), output.size() - stream.avail_out});
    } while (stream.avail_out == 0);
    check(stream.avail_in == 0, "deflate left input");
    check(flush != Z_FINISH || result == Z_STREAM_END, "deflate did not end");
  }
};

GzipWriter::GzipWriter(std::function<void(std::string_view)> sink)
    : state_(std::make_unique<State>()) {
  state_->sink = std::move(sink);
  constexpr int kGzip = 15 + 16;  // bits of window, plus 16 for a gzip header
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipWriter::~GzipWriter() = default;
GzipWriter::GzipWriter(GzipWriter&&) noexcept = default;
GzipWriter& GzipWriter::operator=(GzipWriter&&) noexcept = default;

void GzipWriter::write(std::string_view text) {
  while (!text.empty()) {
    const size_t size = std::min<size_t>(text.size(), std::numeric_limits<uInt>::max());
    state_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    state_->stream.avail_in = uInt(size);
    state_->run(Z_NO_FLUSH);
    text.remove_prefix(size);
  }
}

void GzipWriter::finish() {
  state_->run(Z_FINISH);
}

}  // namespace heed
