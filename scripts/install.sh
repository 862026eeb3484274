#!/bin/sh
# Installs the single executable of credsvc from a release, after checking its SHA-256 checksum.
#   --prefix DIR     installs DIR/bin/credsvc, by default in ~/.local, or in /usr/local for root
#   --version X      installs this version instead of the newest
#   --from ADDRESS   the URL or directory that has the archives, instead of the project's releases
# Needs curl or wget, tar, gzip, and sha256sum or shasum. It changes nothing before the checksum is verified and the new
# program has printed its version.
set -eu

# The release workflow writes the address here.
releases=

fail() { printf 'install: %s\n' "$*" >&2; exit 1; }
usage() { printf 'install: %s; the options are --prefix DIR, --version X and --from ADDRESS\n' "$*" >&2; exit 2; }

# The shell reads this function to its end before it runs anything, so an incomplete download runs nothing.
install() {
  prefix='' version='' from=''
  while [ $# -gt 0 ]; do
    case $1 in --prefix | --version | --from) ;; *) usage "unknown option $1" ;; esac
    [ -n "${2-}" ] || usage "$1 needs a value"
    case $1 in --prefix) prefix=$2 ;; --version) version=${2#v} ;; --from) from=${2%/} ;; esac
    shift 2
  done
  if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?is not set; name a directory with --prefix}/.local; fi
  fi
  if [ -z "$from" ]; then
    [ -n "$releases" ] || fail "this copy is not from a release; name the address of the archives with --from"
    if [ -n "$version" ]; then from=$releases/download/v$version; else from=$releases/latest/download; fi
  fi
  case $from in
  https://*) ;;
  *://*) fail "--from: $from is not encrypted; use https:// or a directory" ;;
  *) [ -d "$from" ] || fail "--from: $from is neither an https:// URL nor a directory" ;;
  esac

  case $(uname -s)-$(uname -m) in
  Linux-x86_64) platform=linux-x64 ;;
  Linux-aarch64) platform=linux-arm64 ;;
  Darwin-arm64) platform=darwin-arm64 ;;
  *) fail "there is no executable for $(uname -s) on $(uname -m); install with: npm install -g credsvc" ;;
  esac
  if ldd --version 2>&1 | grep -qi musl; then
    fail "the executable needs the GNU C library, and this system has musl; install with: npm install -g credsvc"
  fi

  # With the caller's umask, other users could replace the program, or not run it.
  umask 022
  temporary=$(mktemp -d)
  staged=
  trap 'rm -rf "$temporary" ${staged:+"$staged"}' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  name=credsvc-$platform
  fetch "$name.tar.gz"
  fetch "$name.sha256"
  (cd "$temporary" && verify "$name.tar.gz" "$name.sha256") || exit 1
  tar -xzf "$temporary/$name.tar.gz" -C "$temporary" || fail "$name.tar.gz cannot be unpacked"
  for file in credsvc credsvc.1 LICENSE LICENSE.node NOTICES.txt; do
    [ -f "$temporary/$name/$file" ] || fail "$name.tar.gz has no file $name/$file"
  done

  # Beside its destination, because only a rename within a file system replaces a program that is running.
  mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/doc/credsvc" || fail "--prefix: $prefix cannot be written"
  staged=$(mktemp "$prefix/bin/.credsvc.XXXXXX") || fail "--prefix: $prefix/bin cannot be written"
  cp "$temporary/$name/credsvc" "$staged"
  chmod 755 "$staged"
  found=$("$staged" --version) || fail "the new program does not start; nothing was changed"
  [ -z "$version" ] || [ "$found" = "$version" ] || fail "the archive has version $found instead of $version; nothing was changed"
  mv -f "$staged" "$prefix/bin/credsvc"
  staged=
  cp "$temporary/$name/credsvc.1" "$prefix/share/man/man1/"
  cp "$temporary/$name/LICENSE" "$temporary/$name/LICENSE.node" "$temporary/$name/NOTICES.txt" "$prefix/share/doc/credsvc/"

  printf 'credsvc %s is installed as %s\n' "$found" "$prefix/bin/credsvc"
  case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) printf 'Add %s to your PATH.\n' "$prefix/bin" ;;
  esac
  printf 'After an upgrade: credsvc daemon restart\nTo uninstall: credsvc daemon stop; rm -r %s %s %s\n' \
    "$prefix/bin/credsvc" "$prefix/share/man/man1/credsvc.1" "$prefix/share/doc/credsvc"
}

# fetch <file>: into the temporary directory
fetch() {
  case $from in
  https://*)
    if command -v curl >/dev/null; then
      curl --proto '=https' --tlsv1.2 -fsSL --retry 3 -o "$temporary/$1" "$from/$1"
    elif command -v wget >/dev/null; then
      wget -q --https-only -O "$temporary/$1" "$from/$1"
    else
      fail "curl or wget is needed"
    fi || fail "$from/$1 cannot be downloaded"
    ;;
  *) cp "$from/$1" "$temporary/$1" || fail "$from has no $1" ;;
  esac
}

# verify <file> <file with checksums>
verify() {
  expected=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$2")
  [ -n "$expected" ] || fail "$2 has no checksum of $1"
  if command -v sha256sum >/dev/null; then
    actual=$(sha256sum "$1")
  elif command -v shasum >/dev/null; then
    actual=$(shasum -a 256 "$1")
  else
    fail "sha256sum or shasum is needed"
  fi
  [ "${actual%% *}" = "$expected" ] || fail "the checksum of $1 is wrong: ${actual%% *} instead of $expected; nothing was installed"
}

install "$@"
