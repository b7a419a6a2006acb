# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What run.sh, test.sh and .ci/run share. They set `root`, the repository's folder, before they source this file.

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}

has_header() {
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | ${CXX:-c++} -x c++ -fsyntax-only - 2>/dev/null
}

# require THING=PACKAGE...: installs the Debian package of each command or header that is not there.
require() {
    local pair missing=()
    for pair; do
        case ${pair%=*} in
            *.h | *.hpp) has_header "${pair%=*}" ;;
            *) command -v "${pair%=*}" >/dev/null ;;
        esac || missing+=("${pair##*=}")
    done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

install_packages() {
    local log=$root/build/install.log sudo=()
    command -v apt-get >/dev/null ||
        die "Missing: $* (as Debian names them). Please install them and call this again."
    if [ "$(id -u)" -ne 0 ]; then
        if sudo -n true 2>/dev/null; then
            sudo=(sudo -n)
        elif command -v sudo >/dev/null && [ -t 0 ]; then
            sudo=(sudo)
        else
            die "Missing packages, and no rights to install them. Please run as root: apt-get install $*"
        fi
    fi
    say "installing $* ..."
    mkdir -p "$root/build"
    apt_get() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y "$@" </dev/null >>"$log" 2>&1; }
    : >"$log"
    apt_get install --no-install-recommends "$@" ||
        { apt_get update && apt_get install --no-install-recommends "$@"; } ||
        { tail -n 20 "$log" >&2 && die "Could not install $*."; }
}

# require_build_tools [THING=PACKAGE...]: what the standalone build needs, and the given ones.
require_build_tools() {
    if [ -n "${NS3_DIR:-}" ]; then
        [ -d "$NS3_DIR" ] || die "NS3_DIR=$NS3_DIR is no folder."
        NS3_DIR=$(CDPATH='' cd -- "$NS3_DIR" && pwd)
    else
        set -- ns3/core-module.h=libns3-dev "$@"
    fi
    require "${CXX:-c++}=g++" cmake=cmake ninja=ninja-build boost/version.hpp=libboost-dev \
        nlohmann/json.hpp=nlohmann-json3-dev "$@"
}

# build_gradnet TARGET...: builds into build/, with a progress line where there is something to build.
build_gradnet() {
    local build=$root/build log=$root/build/build.log generator=()
    mkdir -p "$build"
    [ -e "$build/CMakeCache.txt" ] || generator=(-G Ninja)
    if ! cmake -S "$root/standalone" -B "$build" "${generator[@]}" -DNS3_DIR="${NS3_DIR:-}" >"$log" 2>&1 ||
        ! cmake --build "$build" --parallel "$(nproc)" --target "$@" 2>&1 | tee -a "$log" | show_progress; then
        tail -n 100 "$log" >&2
        die "The build failed; $log has the whole of it."
    fi
}

show_progress() {
    local line terminal='' shown=''
    [ ! -t 2 ] || terminal=yes
    while IFS= read -r line; do
        case $line in
            \[*/*\]*) ;;
            *) continue ;;
        esac
        if [ "$terminal" ]; then
            printf '\rbuilding %s ' "${line%%]*}]" >&2
        elif [ ! "$shown" ]; then
            say "building in $root/build ..."
        fi
        shown=yes
    done
    [ ! "$terminal" ] || [ ! "$shown" ] || say
}
