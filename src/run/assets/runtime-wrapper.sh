#!/bin/sh
# Written by credsvc: starts the next program of this name in PATH, with the settings of the run that PATH names, if there is one.
name=${0##*/}
found=
IFS=:
set -f
for directory in $PATH; do
  case $directory in
    */credsvc-run-*/settings)
      [ ! -r "$directory/environment.sh" ] || . "$directory/environment.sh"
      ;;
    *)
      if [ -z "$found" ] && [ -f "$directory/$name" ] && [ -x "$directory/$name" ] && [ ! "$directory/$name" -ef "$0" ]; then
        found=$directory/$name
      fi
      ;;
  esac
done
if [ -z "$found" ]; then
  echo "$name: command not found" >&2
  exit 127
fi
exec "$found" "$@"
