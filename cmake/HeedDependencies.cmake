# Everything heed needs, each from its Debian package (CONTRIBUTING.md says why each is here).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET GLOBAL libhwy)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET GLOBAL sentencepiece)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET GLOBAL tomlplusplus)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET GLOBAL libutf8proc)
# Its header is all that is used (core/hash.cpp).
pkg_check_modules(xxhash REQUIRED libxxhash)
add_library(heed_xxhash INTERFACE)
target_include_directories(heed_xxhash SYSTEM INTERFACE ${xxhash_INCLUDE_DIRS})
