#include "heed/text/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "heed/core/error.h"

namespace heed {

void GzipWriter::End::operator()(z_stream_s* stream) const {
  deflateEnd(stream);
  delete stream;
}

GzipWriter::GzipWriter(std::function<void(std::string_view)> sink)
    : sink_(std::move(sink)), stream_(new z_stream()), output_(size_t{1} << 16) {
  constexpr int kGzip = 15 + 16;  // bits of window, plus 16 for a gzip header
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

// Compresses the input of the stream and passes the result to the sink.
void GzipWriter::run(int flush) {
  int result = Z_OK;
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_->avail_out = uInt(output_.size());
    result = deflate(stream_.get(), flush);
    check(result != Z_STREAM_ERROR, "deflate in an inconsistent state");
    sink_({output_.data(), output_.size() - stream_->avail_out});
  } while (stream_->avail_out == 0);
  check(stream_->avail_in == 0, "deflate left input");
  check(flush != Z_FINISH || result == Z_STREAM_END, "deflate did not end");
}

void GzipWriter::write(std::string_view text) {
  while (!text.empty()) {
    const size_t size = std::min<size_t>(text.size(), std::numeric_limits<uInt>::max());
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_->avail_in = uInt(size);
    run(Z_NO_FLUSH);
    text.remove_prefix(size);
  }
}

void GzipWriter::finish() {
  run(Z_FINISH);
}

}  // namespace heed
