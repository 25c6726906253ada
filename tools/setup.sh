# Sourced by tools/demo and tools/test: what they need, installed where it is missing.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(cmake ninja-build g++ pkg-config libboost-dev nlohmann-json3-dev libcli11-dev
  libfmt-dev libopenmpi-dev openmpi-bin libsimgrid-dev libgraphviz-dev
  python3-dev python3-numpy python3-mpi4py pybind11-dev)
test_packages=(gfortran catch2 librapidcheck-dev libbenchmark-dev libmpich-dev mpich valgrind)

# need PACKAGE...: installs what Debian's package database does not list. Without apt it takes
# everything to be there and leaves the complaint to CMake.
need() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
  local missing=() package
  for package in "$@"; do
    dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing, and neither root nor sudo is at hand to install them:" >&2
      echo "  apt-get install ${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build PRESET: configures and builds, in build/PRESET.
build() {
  cmake --preset "$1"
  cmake --build --preset "$1"
}

# Open MPI runs neither as root (in a container, say) nor on more ranks than cores unless it is
# told to; version 5 has a name of its own for the second. Other MPI libraries ignore these.
allow_mpi() {
  export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}
