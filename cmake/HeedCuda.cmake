# The backend for CUDA GPUs (src/heed/backend/cuda), a library beside heed_backend. Where CUDA is not
# found or not wanted, its place is taken by one file that says so.
set(HEED_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities that the kernels are compiled for")

# The sources that know no hardware: also built for the emulation of the tests.
set(cuda_directory ${PROJECT_SOURCE_DIR}/src/heed/backend/cuda)
file(GLOB HEED_CUDA_SOURCES CONFIGURE_DEPENDS ${cuda_directory}/*.cpp)
file(GLOB HEED_CUDA_KERNELS CONFIGURE_DEPENDS ${cuda_directory}/*.cu)

set(HEED_NVCC "")
if(HEED_CUDA AND NOT HEED_SANITIZE AND NOT HEED_FUZZ)
  find_program(HEED_NVCC_PROGRAM nvcc HINTS /usr/local/cuda/bin)
  if(HEED_NVCC_PROGRAM)
    set(HEED_NVCC ${HEED_NVCC_PROGRAM})
  elseif(NOT HEED_CUDA STREQUAL AUTO)
    message(FATAL_ERROR "HEED_CUDA=${HEED_CUDA}, but there is no nvcc")
  endif()
endif()

# heed_cuda_object(SOURCE OBJECT): compiles a .cu file.
function(heed_cuda_object source object)
  set(codes "")
  foreach(architecture ${HEED_CUDA_ARCHITECTURES})
    list(APPEND codes -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${HEED_NVCC} -std=c++17 -O3 --extended-lambda --expt-relaxed-constexpr ${codes}
            -Xcompiler=-fPIC,-fvisibility=hidden -I${PROJECT_SOURCE_DIR}/src
            -I${cuda_directory}/hardware -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    VERBATIM)
endfunction()

# heed_cuda_backend(): the library heed_cuda.
function(heed_cuda_backend)
  if(NOT HEED_NVCC)
    heed_layer(cuda SOURCES ${cuda_directory}/absent/absent.cpp LINKS heed_core)
    return()
  endif()
  file(GLOB hardware CONFIGURE_DEPENDS ${cuda_directory}/hardware/*.cpp)
  file(GLOB hardware_kernels CONFIGURE_DEPENDS ${cuda_directory}/hardware/*.cu)
  set(objects "")
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/cuda)
  foreach(source ${HEED_CUDA_KERNELS} ${hardware_kernels})
    cmake_path(GET source STEM name)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/cuda/${name}.o)
    heed_cuda_object(${source} ${object})
    list(APPEND objects ${object})
  endforeach()
  cmake_path(GET HEED_NVCC PARENT_PATH toolkit)
  cmake_path(GET toolkit PARENT_PATH toolkit)
  heed_layer(cuda SOURCES ${HEED_CUDA_SOURCES} ${hardware} ${objects} LINKS heed_core
             PRIVATE ${toolkit}/lib64/libcudart_static.a ${CMAKE_DL_LIBS} rt)
  target_include_directories(heed_cuda SYSTEM PRIVATE ${toolkit}/include)
  # Two thirds of the lint's time would be one check of NVIDIA's own headers.
  if(HEED_LINT)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/heed_cuda.dir/.clang-tidy
         "InheritParentConfig: true\nChecks: -performance-unnecessary-value-param\n")
  endif()
  target_include_directories(heed_cuda PRIVATE ${cuda_directory}/hardware)
endfunction()
