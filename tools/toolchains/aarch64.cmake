# SPDX-License-Identifier: MIT

# Compiles for aarch64 with Debian's cross compiler (g++-aarch64-linux-gnu), and runs programs in an
# emulator (qemu-user). tools/aarch64 unpacks libraries for the tests into the folder `libraries` of
# the build.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)

# Headers and files for CMake that suit every processor are in /usr.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_BINARY_DIR}/libraries /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
