# SPDX-License-Identifier: MIT

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Rapidcheck(CMakePackage):
    """RapidCheck tests properties of C++ code with random input. Spack has no recipe of its own."""

    homepage = "https://github.com/emil-e/rapidcheck"
    git = "https://github.com/emil-e/rapidcheck.git"

    license("BSD-2-Clause")

    version("master", branch="master")

    depends_on("cxx", type="build")
    depends_on("cmake@3.10:", type="build")
