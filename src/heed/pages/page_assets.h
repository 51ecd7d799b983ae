// What pages are made of: the files of pages/assets.
#pragma once

#include "heed/pages/embedded_file.h"

namespace heed {

std::span<const EmbeddedFile> page_assets();
// The file of this name, which must be one of them.
const EmbeddedFile& page_asset(std::string_view name);

}  // namespace heed
