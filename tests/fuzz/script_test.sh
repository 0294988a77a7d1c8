#!/usr/bin/env bash
# scripts/fuzz and scripts/nightly of ROOT: bad input ends at once, with a message and its exit code.
set -uo pipefail
root=$1
failed=0

# expect CODE WORDS ARGS...: scripts/fuzz ARGS ends with CODE and says WORDS.
expect() {
  local code=$1 words=$2 got=0 said
  shift 2
  said=$("$root/scripts/fuzz" "$@" 2>&1) || got=$?
  if [ "$got" -ne "$code" ] || [[ $said != *"$words"* ]]; then
    printf 'scripts/fuzz %s: exit %d (due: %d), said: %s (due: %s)\n' "$*" "$got" "$code" "$said" \
      "$words"
    failed=1
  fi
}

# The long runs: the same of scripts/nightly.
nightly() {
  local words=$1 got=0 said
  shift
  said=$("$root/scripts/nightly" "$@" 2>&1) || got=$?
  if [ "$got" -ne 2 ] || [[ $said != *"$words"* ]]; then
    printf 'scripts/nightly %s: exit %d (due: 2), said: %s (due: %s)\n' "$*" "$got" "$said" "$words"
    failed=1
  fi
}

nightly "deep-faults: SECONDS must be a number above 0, not 'soon'" deep-faults soon
nightly "deep-faults: SEEDS must be a number above 0, not '0'" deep-faults 60 0
nightly "minimal-cases: SEED must be a number, not '-1'" minimal-cases -1
nightly "usage: scripts/nightly trust" nonesuch
expect 2 "usage: scripts/fuzz"
expect 2 "targets of kernels: fully_masked overflow differential" nonesuch
expect 2 "unknown target 'nonesuch'" nonesuch
expect 2 "is no flag" differential some-file
expect 66 "no such folder" differential --corpus=/nonexistent/folder
expect 73 "is not writable" differential --corpus=/proc/self
exit "$failed"
