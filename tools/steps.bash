# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# For tools/check and tools/test: runs named steps one after the other, and fails at the end if any of them did.
# shellcheck shell=bash
failed_steps=()

# step NAME COMMAND...
step() {
  local name=$1 started=$SECONDS
  shift
  printf '== %s\n' "$name"
  if "$@" </dev/null; then
    printf '== %s: passed in %d s\n' "$name" $((SECONDS - started))
  else
    printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - started))
    failed_steps+=("$name")
  fi
}

finish_steps() {
  if [[ ${#failed_steps[@]} -gt 0 ]]; then
    printf 'FAILED: %s\n' "$(IFS=, && printf '%s' "${failed_steps[*]}")" >&2
    exit 1
  fi
}
