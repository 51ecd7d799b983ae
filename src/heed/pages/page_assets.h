// What pages are made of: the files of pages/assets.
#pragma once

#include "heed/pages/embedded_file.h"

namespace heed {

std::span<const EmbeddedFile> page_assets();

}  // namespace heed
