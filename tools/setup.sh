# SPDX-License-Identifier: MIT

# tools/demo and tools/test source this file: it installs their packages and builds with progress.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

program_packages=(cmake ninja-build g++ pkg-config libboost-dev nlohmann-json3-dev libcli11-dev
  libfmt-dev libnlopt-dev libxxhash-dev libopenmpi-dev openmpi-bin libsimgrid-dev libgraphviz-dev gnuplot-nox)
test_packages=(clang libclang-rt-dev libomp-dev gfortran catch2 librapidcheck-dev libbenchmark-dev
  libmpich-dev mpich valgrind python3-dev python3-numpy python3-mpi4py python3-yaml mypy pybind11-dev chromium groff-base zsh fish)

# with_progress TITLE COMMAND...: runs COMMAND with its output in build/log. On a terminal, one line
# on stderr shows TITLE, the seconds so far and the latest line of output, updated every second.
# Elsewhere a line appears every 20 seconds. If COMMAND fails, prints the end of its output and
# returns its exit code.
with_progress() {
  local title=$1 log=$root/build/log start=$SECONDS next=0 line latest='' code=0 width
  shift
  mkdir -p "$root/build"
  : >"$log"
  width=$(( $(tput cols 2>/dev/null || echo 80) - 1 ))
  # The last line is the exit code.
  while true; do
    if IFS= read -r -t 1 line; then
      case $line in
        "exit code of the command: "*) code=${line##* } ;;
        *) latest=$line; printf '%s\n' "$line" >>"$log" ;;
      esac
    elif [ $? -le 128 ]; then
      break
    fi
    if [ -t 2 ]; then
      line="$title, $((SECONDS - start)) s: $latest"
      printf '\r\033[K%s' "${line:0:width}" >&2
    elif [ $((SECONDS - start)) -ge $next ]; then
      echo "$title, $((SECONDS - start)) s: $latest" >&2
      next=$((SECONDS - start + 20))
    fi
  done < <(code=0; "$@" 2>&1 || code=$?; echo "exit code of the command: $code")
  [ ! -t 2 ] || printf '\r\033[K' >&2
  [ "$code" -eq 0 ] || tail -n 40 "$log" >&2
  return "$code"
}

# need PACKAGE...: installs the packages that Debian's package database does not list. Without apt
# it assumes that all are installed; CMake then reports missing ones.
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
      echo "These packages are missing, and installing them takes root or sudo:" >&2
      echo "  apt-get install ${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo)
    sudo -v
  fi
  echo "Installing ${missing[*]}" >&2
  with_progress "Updating the list of packages" "${as_root[@]}" apt-get update
  with_progress "Installing packages" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# build PRESET [BUILD_PRESET [SETTING...]]: configures PRESET with the settings, and builds
# BUILD_PRESET or all of PRESET. With WARNINGS_ARE_ERRORS set, warnings are errors.
build() {
  with_progress "Configuring $1" cmake --preset "$1" \
    ${WARNINGS_ARE_ERRORS:+-DCMAKE_COMPILE_WARNING_AS_ERROR=ON} "${@:3}"
  with_progress "Building $1" cmake --build --preset "${2:-$1}"
}

# By default, Open MPI runs neither as root (in a container, say) nor on more ranks than cores;
# version 5 has another variable for the second. Other MPI libraries ignore these variables. When a
# program of version 4 ends, it removes the folders that all programs share (jf.0 for those without
# mpiexec) if it finds them empty, even when another program is about to use them ("mkdir was unable
# to create ..."). A folder inside prevents that.
allow_mpi() {
  mkdir -p "${TMPDIR:-/tmp}/ompi.$(uname -n | cut -d. -f1).$(id -u)/jf.0/kept"
  export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}
