# Installation: bin/heed, the libraries, their headers and a CMake package for find_package(heed).
