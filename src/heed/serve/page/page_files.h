// The web page of the server: the files of this directory.
#pragma once

#include <string>

#include "heed/pages/page_assets.h"

namespace heed {

std::span<const EmbeddedFile> page_files();

// The value of the header Content-Security-Policy: files of this server alone. A document that the
// page makes itself, from text, inherits it: of `made`, an HTML page or nothing, the scripts and
// styles are allowed too, by their hashes.
std::string content_security_policy(std::string_view made);

}  // namespace heed
