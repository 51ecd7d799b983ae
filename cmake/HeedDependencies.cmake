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
# Header-only: CRC-32C (core/crc32c.cpp), and HTTP for the server.
find_package(Boost 1.74 REQUIRED)
add_library(heed_boost INTERFACE)
target_include_directories(heed_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
# The server's: HTTP, metrics, hashes of API keys; and cld2, the language of a text.
add_library(heed_asio INTERFACE)
target_compile_definitions(heed_asio INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_CONCEPTS)
target_link_libraries(heed_asio INTERFACE heed_boost Threads::Threads)
# ThreadSanitizer does not see Asio's fences, and needs none: its queue has a mutex.
target_compile_options(heed_asio INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET GLOBAL prometheus-cpp-core)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET GLOBAL libsodium)
# The expressions of --protect.
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET GLOBAL re2)
# Documents: XML and Markdown.
pkg_check_modules(expat REQUIRED IMPORTED_TARGET GLOBAL expat)
pkg_check_modules(md4c REQUIRED IMPORTED_TARGET GLOBAL md4c)
