// Requests and answers of HTTP, without their connection.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  // Besides Content-Type, Content-Length, Connection, Date and what compression adds.
  std::vector<HttpHeader> headers = {};
};

// The pairs of a query string or of a form (application/x-www-form-urlencoded), decoded, in their
// order. Error if a percent-encoding is damaged, if a name or value is not UTF-8, or if there are
// more than `most` pairs.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view text,
                                                             size_t most = 1000);

// Replaces %XX by bytes (and '+' by a space in forms). Error if one is damaged or if the result is
// not UTF-8.
enum class PlusSign { plus, space };
std::string percent_decoded(std::string_view text, PlusSign plus);

// "Not Found" for 404; "Unknown" for a status that heed does not use.
std::string_view status_reason(int status);

// The answer {"error": sentence}.
HttpResponse error_response(int status, std::string_view sentence);

}  // namespace heed
