#!/bin/sh
# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
#
# Rebuilds the CUBINs of this folder, and beside each what the vendor's tools say about it, which the
# tests compare with ours. Needs nvcc 13.0, cuobjdump 13.2 and, for one image, ptxas 12.8. Debug
# sections name the folder of the compilation, so that it is always the same one.
#
# Usage: NVCC=nvcc CUOBJDUMP=cuobjdump PTXAS_12=ptxas ./build.sh
set -eu
cd "$(dirname "$0")"
here=$(pwd)
NVCC=${NVCC:-nvcc}
CUOBJDUMP=${CUOBJDUMP:-cuobjdump}
work=/tmp/cacheon-cubin
mkdir "$work"
trap 'rm -r "$work"' EXIT
cp ./*.cu ./*.ptx "$work"
cd "$work"

record() { # NAME LOG: resource usage, parameters, and what the assembler counted
  "$CUOBJDUMP" -res-usage "$1.cubin" | grep -v '^$' >"$here/$1.usage.txt"
  "$CUOBJDUMP" -elf "$1.cubin" |
    grep -E '^\.nv\.info\.|Ordinal' | sed 's/[[:space:]]\+/ /g' >"$here/$1.parameters.txt"
  grep -E 'Compiling entry|Used' "$2" >"$here/$1.assembler.txt"
  cp "$1.cubin" "$here"
}

compile() { # SOURCE ARCHITECTURE FLAGS...
  name=$1.$2
  source=$1.cu
  architecture=$2
  shift 2
  "$NVCC" -cubin -arch="$architecture" -Xptxas -v "$@" -o "$name.cubin" "$source" 2>log
  record "$name" log
}

compile rmsnorm sm_80
compile rmsnorm sm_90a
compile rmsnorm sm_100a
compile launch_bounds sm_90a
compile stateful sm_90a -lineinfo
if [ -n "${PTXAS_12:-}" ]; then
  "$PTXAS_12" -arch sm_90a -o "$here/before_cuda_13.sm_90a.cubin" before_cuda_13.ptx
fi
