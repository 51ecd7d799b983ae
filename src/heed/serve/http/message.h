// Requests and answers of HTTP, without their connection, and their limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/error.h"

namespace heed {

struct HttpHeader {
  std::string name;  // of a request: in lower case
  std::string value;
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // percent-decoded UTF-8; begins with '/'
  std::string query;   // after '?', not decoded; see parse_query()
  std::vector<HttpHeader> headers;
  std::string body;
  // The address of the client without its port; that of X-Forwarded-For behind a trusted proxy.
  std::string client;

  // The value of the first header of this name (in lower case); empty if there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  // Besides Content-Type, Content-Length, Connection, Date and the headers of compression.
  std::vector<HttpHeader> headers = {};
};

// Bounds for the memory and the time that clients can take.
struct HttpLimits {
  int64_t connections = 1024;
  // Connections of one client (IPv6: of one network of 64 bits). Those of a trusted proxy count for
  // the clients that it names, while their requests are answered.
  int64_t client_connections = 256;
  int64_t header_bytes = 16 << 10;  // request line and headers
  int64_t body_bytes = 1 << 20;     // of one request
  // Memory of all requests: bodies, the data of handlers (HttpExchange::hold()), unsent answers.
  // One request can take half of what the others leave, so that large ones leave room for small
  // ones. Unsent answers can take half: beyond it, connections whose clients have not read for
  // longest are closed.
  int64_t request_bytes = 512 << 20;
  int64_t unsent_bytes = 4 << 20;          // of a streamed answer that its client does not read
  std::chrono::milliseconds idle{60'000};  // between requests
  // From the first byte of a request to the end of its headers.
  std::chrono::milliseconds headers{10'000};
  std::chrono::milliseconds body{30'000};   // from there to the end of its body
  std::chrono::milliseconds write{30'000};  // without progress in sending an answer
};

// The pairs of a query string or of a form (application/x-www-form-urlencoded), decoded, in their
// order. Error if a percent-encoding is damaged, if a name or value is not UTF-8, or if there are
// more than `most` pairs.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view text,
                                                             size_t most = 1000);

// The same of a form of multipart/form-data (RFC 7578). `content_type` is the request's header,
// which has the boundary. Error where the body is damaged or does not begin and end with the
// boundary, where a field is a file, is not plain text in UTF-8 or is encoded for transfer, or if
// there are more than `most` fields.
std::vector<std::pair<std::string, std::string>> parse_multipart(std::string_view content_type,
                                                                 std::string_view body,
                                                                 size_t most = 1000);

// Replaces %XX by bytes (and '+' by a space in forms). Error if one is damaged or if the result is
// not UTF-8.
enum class PlusSign { plus, space };
std::string percent_decoded(std::string_view text, PlusSign plus);

// An error that is answered with this HTTP status.
class HttpError : public Error {
 public:
  HttpError(int status, const std::string& text, std::vector<HttpHeader> headers = {})
      : Error(text), status(status), headers(std::move(headers)) {}
  int status;
  std::vector<HttpHeader> headers;  // Allow, Retry-After, WWW-Authenticate
};

// The error of a request that may succeed a second later: it has the header Retry-After.
HttpError temporary_error(int status, const std::string& text);
// The temporary error 503 of a request for which HttpLimits::request_bytes leave no room.
HttpError no_memory_error();

// The answer {"error": text}, with the headers of the error.
HttpResponse error_response(const HttpError& error);

}  // namespace heed
