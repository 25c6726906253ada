# SPDX-License-Identifier: MIT

import os
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Bracket(CMakePackage, CudaPackage):
    """Reductions with the same bits on any number of MPI ranks: their schedules are modelled,
    simulated, executed, measured and drawn."""

    # The checkout that has this recipe.
    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("MIT")

    version("main", branch="main")

    variant("mpi", default=True, description="Execute reductions with MPI, in C++ and C")
    variant("fortran", default=True, when="+mpi", description="The interface for Fortran")
    variant("python", default=False, when="+mpi", description="The package for Python")
    variant("simgrid", default=False, description="Simulate networks and MPI with SimGrid")
    variant("graphviz", default=False, description="Draw pictures as SVG, PNG and PDF")
    variant("shared", default=True, description="Shared libraries for C++ and Fortran, too")
    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build", when="+graphviz")

    depends_on("boost@1.74:", type=("build", "link"))  # headers alone
    depends_on("nlohmann-json@3.9:")
    depends_on("cli11@2.1:", type="build")
    depends_on("fmt@8:")
    depends_on("nlopt@2.7:")
    depends_on("xxhash", type="build")
    depends_on("gnuplot", type="run")

    depends_on("mpi@3:", when="+mpi")
    depends_on("simgrid@3.32:+smpi", when="+simgrid")
    depends_on("graphviz", when="+graphviz")
    depends_on("cuda@12:", when="+cuda")

    with when("+python"):
        extends("python@3.9:")
        depends_on("py-pybind11@2.10:", type="build")
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-mpi4py", type=("build", "run"))

    with when("+tests"):
        depends_on("catch2@2.13:2")
        depends_on("rapidcheck")
        depends_on("python@3.9:", type=("build", "test"))

    def cmake_args(self):
        spec = self.spec
        arguments = [
            self.define_from_variant("BRACKET_RUNTIME", "mpi"),
            self.define("BRACKET_FORTRAN", spec.satisfies("+fortran")),
            self.define("BRACKET_PYTHON", spec.satisfies("+python")),
            self.define_from_variant("BRACKET_SIMULATOR", "simgrid"),
            self.define_from_variant("BRACKET_VIZ_SVG", "graphviz"),
            self.define_from_variant("BRACKET_DEVICE", "cuda"),
            self.define_from_variant("BRACKET_TESTS", "tests"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if spec.satisfies("+mpi"):
            arguments.append(self.define("MPI_CXX_COMPILER", spec["mpi"].mpicxx))
            arguments.append(self.define("MPI_C_COMPILER", spec["mpi"].mpicc))
        if spec.satisfies("+fortran"):
            arguments.append(self.define("MPI_Fortran_COMPILER", spec["mpi"].mpifc))
        if spec.satisfies("+python"):
            folder = os.path.relpath(python_platlib, self.prefix)
            arguments.append(self.define("BRACKET_PYTHON_INSTALL_DIR", folder))
        if spec.satisfies("+cuda") and spec.variants["cuda_arch"].value[0] != "none":
            arguments.append(
                self.define("CMAKE_CUDA_ARCHITECTURES", spec.variants["cuda_arch"].value)
            )
        return arguments
