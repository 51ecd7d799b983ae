# Warnings and sanitizers shared by every target.
add_library(heed_flags INTERFACE)
target_compile_features(heed_flags INTERFACE cxx_std_20)
target_compile_options(heed_flags INTERFACE -Wall -Wextra $<$<BOOL:${HEED_WERROR}>:-Werror>)
# GCC 12 sees overlapping copies in "text" + std::string where there are none (GCC bug 105651).
target_compile_options(heed_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# There a class of a .cpp file, whose members have types of that file alone, is no risk of two meanings.
if(CMAKE_UNITY_BUILD)
  target_compile_options(heed_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(HEED_SANITIZE)
  target_compile_options(heed_flags INTERFACE -fsanitize=${HEED_SANITIZE} -fno-sanitize-recover=all
                                              -fno-omit-frame-pointer -g1)
  # A null pointer that is used ends in a report of AddressSanitizer too; UBSan's check of each use
  # takes a sixth of the compiler's time.
  if(HEED_SANITIZE MATCHES undefined)
    target_compile_options(heed_flags INTERFACE -fno-sanitize=null)
    # What is read or written beside an object ends in a report of AddressSanitizer as well: these two
    # take a fifth of the compiler's time.
    if(HEED_SANITIZE_SHORT)
      target_compile_options(heed_flags INTERFACE -fno-sanitize=object-size,pointer-overflow)
    endif()
  endif()
  target_link_options(heed_flags INTERFACE -fsanitize=${HEED_SANITIZE})
  # Under sanitizers GCC 12 finds uninitialised memory in its own <regex>, where there is none. Other
  # builds keep the warning.
  target_compile_options(heed_flags
                         INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# For code that runs for moments: there the compiler's own time counts, and sanitizers double it
# at -O1. Tests, which are most of the code that is compiled, are not optimized at all.
add_library(heed_cold_flags INTERFACE)
add_library(heed_test_flags INTERFACE)
target_link_libraries(heed_test_flags INTERFACE heed_flags)
if(HEED_SANITIZE)
  target_compile_options(heed_cold_flags INTERFACE -O0)
  target_link_libraries(heed_test_flags INTERFACE heed_cold_flags)
  # Alignment matters where the library reads files.
  if(HEED_SANITIZE MATCHES undefined)
    target_compile_options(heed_cold_flags INTERFACE -fno-sanitize=alignment)
  endif()
else()
  target_compile_options(heed_cold_flags INTERFACE $<$<CONFIG:Release>:-O1>)
  target_compile_options(heed_test_flags INTERFACE $<$<CONFIG:Release>:-O0>)
endif()

if(HEED_COVERAGE)
  target_compile_options(heed_flags INTERFACE --coverage -fprofile-update=prefer-atomic)
  target_link_options(heed_flags INTERFACE --coverage)
endif()

if(HEED_FUZZ)
  target_compile_options(heed_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(heed_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# heed_layer(NAME [SOURCES ...] [LINKS ...] [PRIVATE ...]): the directory's sources as one static
# library heed_NAME; for "heed", the sources in no directory; or the sources named.
# LINKS are the layers and packages that its headers need, PRIVATE those that only its sources need.
function(heed_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE" ${ARGN})
  if(arg_SOURCES)
    set(sources ${arg_SOURCES})
  elseif(name STREQUAL heed)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
    # A library of its own (HeedCuda).
    list(FILTER sources EXCLUDE REGEX "/backend/cuda/")
  endif()
  add_library(heed_${name} STATIC ${sources})
  add_library(heed::${name} ALIAS heed_${name})
  # The same objects are part of the program and of the Python module; hidden symbols cost no
  # indirection in a module.
  set_target_properties(heed_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(heed_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(heed_${name} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE}
                        $<BUILD_INTERFACE:heed_flags>)
  target_compile_features(heed_${name} PUBLIC cxx_std_20)
  set_target_properties(heed_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY HEED_LAYERS heed_${name})
  # It and the layers below it, in the order in which they are linked.
  set(order heed_${name})
  foreach(link ${arg_LINKS} ${arg_PRIVATE})
    if(TARGET ${link})
      get_target_property(below ${link} HEED_LAYERS_BELOW)
      if(below)
        list(REMOVE_ITEM order ${below})
        list(APPEND order ${below})
      endif()
    endif()
  endforeach()
  set_target_properties(heed_${name} PROPERTIES HEED_LAYERS_BELOW "${order}")
endfunction()
