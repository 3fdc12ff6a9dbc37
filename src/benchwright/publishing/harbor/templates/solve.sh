#!/bin/sh
# Runs the reference solution, as Benchwright's agent `oracle` does.
set -eu
here=$$(cd "$$(dirname "$$0")" && pwd)
cd $folder
$interpreter - < "$$here/$program" > $printed
