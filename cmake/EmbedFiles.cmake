# heed_embed(LAYER FOLDER HEADER): heed/FOLDER's web files become part of the layer, as
# std::span<const EmbeddedFile> NAME() for the header heed/HEADER of that NAME (pages/page_assets.h).
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(HEED_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(heed_embed layer folder header)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    get_filename_component(name ${header} NAME_WE)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(GLOB files RELATIVE ${folder} CONFIGURE_DEPENDS
         ${folder}/*.html ${folder}/*.css ${folder}/*.js ${folder}/*.svg)
    list(TRANSFORM files PREPEND ${folder}/ OUTPUT_VARIABLE paths)
    list(JOIN files "|" names)
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DFILES=${names} -DOUTPUT=${source} -DNAME=${name}
              -DHEADER=heed/${header} -P ${HEED_EMBED_SCRIPT}
      DEPENDS ${paths} ${HEED_EMBED_SCRIPT}
      COMMENT "Embedding the files of ${header}" VERBATIM)
    target_sources(heed_${layer} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()
  return()
endif()

# As a script: cmake -DFOLDER=... -DFILES=a.js|b.css -DOUTPUT=... -DNAME=... -DHEADER=... -P EmbedFiles.cmake
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
  # Lines of 64 bytes, each byte as \xNN.
  string(REPEAT "." 128 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(REPLACE "\n" "\"\n     \"" bytes "${bytes}")
  string(APPEND entries "    {\"${name}\", \"${type_${extension}}\",\n     {\"${bytes}\",\n      ${size}},\n"
                        "     \"\\\"${hash}\\\"\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Made by cmake/EmbedFiles.cmake.
#include \"${HEADER}\"

namespace heed {
namespace {

constexpr EmbeddedFile kFiles[] = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> ${NAME}() { return kFiles; }

}  // namespace heed
")
