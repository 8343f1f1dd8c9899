#!/usr/bin/env bash
# Installs Kintsugi's programs and units on this machine; sourced by control-plane.sh and node.sh. Repeatable: a newer archive replaces
# an older installation, and configuration stays as it is.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "run this as root" >&2; exit 1; }
[ "$(ps -p 1 -o comm=)" = systemd ] || { echo "this machine's first process is not systemd: start the services by hand, see deploy/README.md" >&2; exit 1; }
unpacked=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# ensure_packages PACKAGE…: from Debian or Ubuntu, if they are not there yet.
ensure_packages() {
  local missing=() package
  for package in "$@"; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
  [ "${#missing[@]}" -eq 0 ] && return
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

ensure_node() {
  local found
  found=$(/usr/bin/node --version 2>/dev/null || echo none)
  /usr/bin/node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null ||
    { echo "/usr/bin/node is $found: install Node.js 20.19 or newer, for example from nodesource" >&2; exit 1; }
}

# install_programs UNIT…: the programs to /opt/kintsugi, these units, and the command `kintsugi`.
install_programs() {
  if [ "$unpacked" != /opt/kintsugi ]; then
    rm -rf /opt/kintsugi.new /opt/kintsugi.old
    cp -r "$unpacked" /opt/kintsugi.new
    [ ! -e /opt/kintsugi ] || mv /opt/kintsugi /opt/kintsugi.old
    mv /opt/kintsugi.new /opt/kintsugi
    rm -rf /opt/kintsugi.old
  fi
  ln -sfn /opt/kintsugi/bin/kintsugi /usr/local/bin/kintsugi
  local unit
  for unit in "$@"; do install -m 0644 "/opt/kintsugi/systemd/$unit.service" /etc/systemd/system/; done
  systemctl daemon-reload
}

# start_units UNIT…: now and at every boot; with new programs, or new configuration, those that run start again.
start_units() {
  systemctl enable --quiet "$@"
  systemctl restart "$@"
}

# start_containerd RECORD FILE…: at every boot, and now. One that already runs this program with this configuration goes on: whoever starts again loads
# the shim of every container anew, and gives up on one that does not answer within 5 s, as can happen on a slow machine. RECORD says
# what it was started with.
start_containerd() {
  local started=$1 wanted
  shift
  wanted=$(sha256sum "$@")
  systemctl enable --quiet kintsugi-containerd
  if systemctl is-active --quiet kintsugi-containerd && [ "$(cat "$started" 2>/dev/null)" = "$wanted" ]; then return; fi
  systemctl restart kintsugi-containerd
  install -d "$(dirname "$started")"
  printf '%s\n' "$wanted" > "$started"
}
