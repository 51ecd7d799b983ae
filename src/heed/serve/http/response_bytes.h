// Answers as bytes: heads, chunks, compression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heed/serve/http/message.h"

namespace heed::detail {

// The status line and headers, with the empty line. Without a length the body is chunked; statuses
// that have no body (1xx, 204, 304) get neither. Control characters in headers become spaces.
// `connection` is "keep-alive" or "close".
std::string response_head(const HttpResponse& response, std::optional<size_t> length,
                          std::string_view connection);

// Whether an answer with this status has a body.
bool has_body(int status);

// One chunk of a chunked body. Empty text gives nothing, since an empty chunk would be the last
// one.
std::string chunk_bytes(std::string_view text);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Whether this Accept-Encoding accepts gzip, with a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);

// Compresses the body if the request accepts it and it is text of some length; adds Vary to answers
// whose form depends on it.
void compress_response(const HttpRequest& request, HttpResponse& response);

}  // namespace heed::detail
