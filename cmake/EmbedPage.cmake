# Writes a C++ source that holds the files of a web page (serve/page/page_files.h). A script:
#   cmake -DFOLDER=... -DFILES=a.js|b.css -DOUTPUT=... -P EmbedPage.cmake
cmake_minimum_required(VERSION 3.25)
set(type_html "text/html; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_svg "image/svg+xml")

string(REPLACE "|" ";" FILES "${FILES}")
set(entries "")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" bytes HEX)
  file(SIZE "${FOLDER}/${name}" size)
  file(SHA256 "${FOLDER}/${name}" hash)
  string(SUBSTRING "${hash}" 0 32 hash)
  string(REGEX REPLACE "^.*\\." "" extension "${name}")
  if(NOT type_${extension})
    message(FATAL_ERROR "${FOLDER}/${name}: no content type for .${extension}")
  endif()
  if(name STREQUAL "index.html")
    set(name "")
  endif()
  # Lines of 64 bytes, each byte as \xNN.
  string(REPEAT "." 128 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(REPLACE "\n" "\"\n     \"" bytes "${bytes}")
  string(APPEND entries "    {\"/${name}\", \"${type_${extension}}\",\n     {\"${bytes}\",\n      ${size}},\n"
                        "     \"\\\"${hash}\\\"\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Made by cmake/EmbedPage.cmake.
#include \"heed/serve/page/page_files.h\"

namespace heed {
namespace {

constexpr PageFile kPageFiles[] = {
${entries}};

}  // namespace

std::span<const PageFile> page_files() { return kPageFiles; }

}  // namespace heed
")
