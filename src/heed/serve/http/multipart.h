// Forms of multipart/form-data (RFC 7578).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// The fields of a form in their order, as parse_query() gives those of others. `content_type` is
// the request's header, which has the boundary. Error where the body is damaged or does not begin
// and end with the boundary, where a field is a file, is not plain text in UTF-8 or is encoded for
// transfer, or if there are more than `most` fields.
std::vector<std::pair<std::string, std::string>> parse_multipart(std::string_view content_type,
                                                                 std::string_view body,
                                                                 size_t most = 1000);

}  // namespace heed
