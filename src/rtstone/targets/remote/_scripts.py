# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The scripts for the remote host's /bin/sh. Only hashes and our own names are inserted into them."""

from __future__ import annotations

ENGINE = "rtstone-engine"

# The folder of the engines, `p`, has a folder for each hash. `safe FOLDER` checks that no other user can replace the
# folder or write to it.
_PLACE = """
LC_ALL=C; export LC_ALL; umask 077; u=$(id -u)
[ -n "$XDG_CACHE_HOME" ] || [ -n "$HOME" ] || { echo "@no this user has no home" ; exit 1; }
p="${XDG_CACHE_HOME:-$HOME/.cache}/rtstone/far"
safe() {
  w=$(cd "$1" 2>/dev/null && pwd -P) || { echo "@no $1 is not there" ; return 1; }
  leaf=1
  while :; do
    set -f; set -- $(ls -ldn "$w"); set +f
    case $3 in
      0|$u) ;;
      *) echo "@no $w belongs to another user" ; return 1;;
    esac
    case $1 in
      ?????w*|????????w*)
        case $leaf$1 in
          ?????????[tT]*) ;;
          *) echo "@no other users can write to $w" ; return 1;;
        esac;;
    esac
    [ "$w" != / ] || return 0
    w=${w%/*}; w=${w:-/}; leaf=
  done
}
"""

_SUM = 'sum() { s=$(sha256sum <"$1" 2>/dev/null) || return 1; printf "%s" "${s%% *}"; }'

LOOK = (
    _PLACE
    + """
echo "@kernel $(uname -s)"
echo "@machine $(uname -m)"
echo "@place $p"
[ -x "$(command -v sha256sum)" ] || { echo "@no it has no sha256sum" ; exit 1; }
if [ -d "$p" ]; then
  cd "$p" || exit 1
  for f in */rtstone-engine; do
    [ -f "$f" ] && echo "@have $(sha256sum <"$f" | cut -c1-64) $f"
  done
fi
echo "@done"
"""
)


def put(folder: str, name: str, digest: str) -> str:
    """The script that stores a file from standard input, completely or not at all. Several may run at once."""
    return (
        _PLACE
        + f"""
{_SUM}
d="$p/{folder}"
mkdir -p "$d" || exit 1
safe "$d" || exit 1
for x in "$d"/.part.*; do
  [ -f "$x" ] && {{ kill -0 "${{x##*.}}" 2>/dev/null || rm -f "$x" ; }}
done
t="$d/.part.$$"
gone() {{ rm -f "$t"; exit 1; }}
trap gone HUP INT TERM
cat >"$t" || gone
[ "$(sum "$t")" = {digest} ] || {{ echo "@no the copy differs from the original" ; gone; }}
chmod 700 "$t" && mv -f "$t" "$d/{name}" || gone
echo "@done"
"""
    )


def engine(folder: str, digest: str, words: str) -> str:
    """The script that executes the engine, after it has checked that no other user can have changed the file."""
    return (
        _PLACE
        + f"""
{_SUM}
d="$p/{folder}"
safe "$d" || exit 1
[ "$(sum "$d/rtstone-engine")" = {digest} ] || {{ echo "@no $d/rtstone-engine is not the engine that was copied there" ; exit 1; }}
d=$(cd "$d" && pwd -P)
echo "@go"
exec "$d/rtstone-engine" {words}
"""
    )


CLEAN = (
    _PLACE
    + """
if [ -d "$p" ]; then
  safe "$p" || exit 1
  echo "@had $p"
  rm -rf "$p" || exit 1
  rmdir "${p%/far}" 2>/dev/null
fi
echo "@done"
"""
)

QUESTIONS = """
LC_ALL=C; export LC_ALL
echo "@done"
while read -r k p; do
  case $k in
    text) cat "$p" 2>/dev/null; r=$? ;;
    bytes) o=${p%% *}; p=${p#* }; n=${p%% *}; p=${p#* }
      dd if="$p" bs="$n" count=1 skip="$o" iflag=skip_bytes 2>/dev/null; r=$? ;;
    glob) r=1; for f in $p; do [ -e "$f" ] && { printf "%s\n" "$f"; r=0; } ; done ;;
    texts) for f in $p; do t=$(cat "$f" 2>/dev/null) && printf "%s\\0%s\\0" "$f" "$t"; done; r=0 ;;
    exists) [ -e "$p" ]; r=$? ;;
    writable) [ -w "$p" ]; r=$? ;;
    which) command -v "$p" >/dev/null 2>&1; r=$? ;;
    conf) getconf "$p" 2>/dev/null; r=$? ;;
    library) ldd --version 2>/dev/null | head -n 1; r=$? ;;
    unit) systemctl is-active --quiet "$p" 2>/dev/null; r=$? ;;
    machine) uname -m; r=$? ;;
    *) r=2 ;;
  esac
  printf "\n%s %s\n" NONCE "$r"
done
"""
"""Reads a question a line, prints its answer, and ends each answer with a line that has the session's nonce and the
exit code."""
