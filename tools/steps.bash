# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# For tools/check, tools/test and tools/python-tests: runs named steps, and fails at the end if any of them did.
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

# beside NAME COMMAND...: a step that the following ones do not wait for. `finish_steps` does, or `await` if one needs what it makes.
beside_names=() beside_pids=() beside_said=()
beside() {
  trap 'kill 0' INT # what runs beside does not hear of Ctrl-C itself
  beside_said+=("$(mktemp)")
  (failed_steps=() && step "$@" && [[ ${#failed_steps[@]} -eq 0 ]]) >"${beside_said[-1]}" 2>&1 &
  beside_pids+=($!)
  beside_names+=("$1")
}

# await: waits for what runs beside, and only then shows what it said.
await() {
  local i
  for i in "${!beside_pids[@]}"; do
    wait "${beside_pids[i]}" || failed_steps+=("${beside_names[i]}")
    cat "${beside_said[i]}"
    rm -f "${beside_said[i]}"
  done
  beside_names=() beside_pids=() beside_said=()
}

finish_steps() {
  await
  if [[ ${#failed_steps[@]} -gt 0 ]]; then
    printf 'FAILED: %s\n' "$(IFS=, && printf '%s' "${failed_steps[*]}")" >&2
    exit 1
  fi
}
