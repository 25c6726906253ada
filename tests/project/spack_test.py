# SPDX-License-Identifier: MIT

"""Runs the Spack recipes without Spack: every variant has its options, and CMake knows each option.

Usage: spack_test.py SOURCE
"""

import itertools
import pathlib
import re
import sys
import types

source = pathlib.Path(sys.argv[1]).resolve()
repository = source / "packaging/spack/spack_repo/bracket"

# The variables that belong to CMake and its modules, and not to the project.
of_cmake = {"BUILD_SHARED_LIBS", "CMAKE_CUDA_ARCHITECTURES", "MPI_C_COMPILER", "MPI_CXX_COMPILER",
            "MPI_Fortran_COMPILER"}


class Recorder:
    """Spack's directives: each call is noted with its arguments."""

    def __init__(self):
        self.calls = []

    def directive(self, name):
        return lambda *words, **named: self.calls.append((name, words, named))


class Conditions:
    """What `with when(...)` gives."""

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        return False


class Spec:
    def __init__(self, chosen):
        self.chosen = chosen
        self.variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}

    def satisfies(self, condition):
        assert re.fullmatch(r"[+~]\w+", condition), condition
        return self.chosen[condition[1:]] == condition.startswith("+")

    def __getitem__(self, name):
        assert name == "mpi" and self.chosen["mpi"], name
        return types.SimpleNamespace(mpicc="mpicc", mpicxx="mpicxx", mpifc="mpifort")


class Package:
    """Spack's base class of a package that CMake builds."""

    prefix = "/prefix"

    def define(self, name, value):
        return name, value

    def define_from_variant(self, name, variant):
        assert variant in self.spec.chosen, f"{name} follows {variant}, which is no variant"
        return name, self.spec.chosen[variant]


def load(package):
    """Executes a recipe and returns its class and its directives."""
    recorder = Recorder()
    directives = types.ModuleType("spack.package")
    for name in ("conflicts", "depends_on", "extends", "license", "variant", "version"):
        setattr(directives, name, recorder.directive(name))
    directives.when = lambda condition: Conditions()
    directives.python_platlib = "/prefix/lib/python3.11/site-packages"
    bases = {"cmake": "CMakePackage", "cuda": "CudaPackage"}
    for module, base in bases.items():
        built = types.ModuleType(f"spack_repo.builtin.build_systems.{module}")
        setattr(built, base, Package if module == "cmake" else type(base, (), {}))
        sys.modules[built.__name__] = built
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"] = directives
    file = repository / "packages" / package / "package.py"
    names = {"__file__": str(file), "__name__": package}
    exec(compile(file.read_text(), file, "exec"), names)
    return names[package.capitalize()], recorder.calls


def options_of_cmake():
    """The names of the options and of the cached variables of the project, with its languages."""
    names = set()
    for file in source.rglob("CMakeLists.txt"):
        if "build" not in file.relative_to(source).parts:
            text = file.read_text()
            names |= set(re.findall(r"\boption\((\w+)", text))
            names |= set(re.findall(r"\bset\((BRACKET_\w+)[^()]*CACHE", text))
    return names


def main():
    bracket, calls = load("bracket")
    load("rapidcheck")
    variants = {words[0]: named for name, words, named in calls if name == "variant"}
    wanted = {"mpi", "simgrid", "fortran", "python", "shared", "tests"}
    assert wanted <= set(variants), f"variants: {set(variants)}"
    assert pathlib.Path(bracket.git.removeprefix("file://")) == source, bracket.git
    known = options_of_cmake()
    given = set()
    names = sorted(set(variants) | {"cuda"})  # this one is Spack's own
    for values in itertools.product([False, True], repeat=len(names)):
        package = bracket()
        package.spec = Spec(dict(zip(names, values)))
        if not package.spec.chosen["mpi"]:  # the other two exist only with MPI
            package.spec.chosen.update(fortran=False, python=False)
        arguments = dict(package.cmake_args())
        assert all(value is not None for value in arguments.values()), arguments
        given |= set(arguments)
    assert given <= known | of_cmake, f"CMake has no {given - known - of_cmake}"
    switched = {"BRACKET_SIMULATOR", "BRACKET_RUNTIME", "BRACKET_FORTRAN", "BRACKET_PYTHON",
                "BRACKET_DEVICE", "BRACKET_VIZ_SVG", "BRACKET_TESTS", "BUILD_SHARED_LIBS"}
    assert switched <= given, f"no variant sets {switched - given}"


main()
