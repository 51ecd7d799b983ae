// The web page of the server: the files of this directory.
#pragma once

#include "heed/pages/embedded_file.h"

namespace heed {

std::span<const EmbeddedFile> page_files();

}  // namespace heed
