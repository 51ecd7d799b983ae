// The web page of the server: the files of this directory.
#pragma once

#include <string>

#include "heed/pages/page_assets.h"

namespace heed {

std::span<const EmbeddedFile> page_files();

// The value of the header Content-Security-Policy: files of this server alone. The document of the
// attention dialog, which the page makes of HTML text, inherits it, so the scripts and styles of
// `embedded_html`, which may be empty, are allowed too, by their hashes.
std::string content_security_policy(std::string_view embedded_html);

}  // namespace heed
