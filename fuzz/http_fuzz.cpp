// Requests of HTTP as they come from a connection: in pieces, several one after another; query
// strings, and the other headers that are parsed.
#include "fuzz.h"
#include "heed/core/utf8.h"
#include "heed/serve/http/client_address.h"
#include "heed/serve/http/request_reader.h"
#include "heed/serve/http/response_bytes.h"

namespace heed {
namespace {

using detail::RequestReader;

// What was read, as text, to compare readings.
std::string read_in_pieces(std::string_view bytes, size_t piece) {
  HttpLimits limits;
  limits.header_bytes = 2000;
  limits.body_bytes = 5000;
  RequestReader reader(limits);
  std::string read;
  while (true) {
    const RequestReader::State before = reader.state();
    const size_t buffered = reader.buffered();
    const RequestReader::State after = reader.advance();
    if (after == RequestReader::State::failed) {
      fuzzing::require(reader.error().status >= 400 && *reader.error().what() != 0);
      return read + "failed";
    }
    fuzzing::require(int64_t(reader.body_bytes()) <= limits.body_bytes);
    if (after == RequestReader::State::complete) {
      const HttpRequest request = reader.take();
      fuzzing::require(request.path[0] == '/' && !find_invalid_utf8(request.path));
      read += request.method + " " + request.path + "?" + request.query + "\n";
      for (const HttpHeader& header : request.headers)
        read += header.name + ":" + header.value + "\n";
      read += request.body + "\n";
      fuzzing::read_or_refuse([&] { parse_query(request.query); });
      fuzzing::read_or_refuse([&] { parse_query(request.body, 10); });
      static const detail::TrustedProxies proxies({"10.0.0.0/8", "::1"});
      fuzzing::require(!proxies.client("10.0.0.1", request).empty());
      detail::accepts_gzip(request.header("accept-encoding"));
    } else if (after == before && reader.buffered() == buffered) {
      if (bytes.empty()) return read;
      // The bytes of a request without an end do not grow without bounds.
      fuzzing::require(reader.buffered() <= size_t(limits.header_bytes));
      reader.feed(bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
    }
  }
}

}  // namespace
}  // namespace heed

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const std::string_view bytes = fuzzing::text_of(data, size);
  fuzzing::require(read_in_pieces(bytes, 7) == read_in_pieces(bytes, 1000));
  fuzzing::read_or_refuse([&] { percent_decoded(bytes, PlusSign::space); });
  return 0;
}
