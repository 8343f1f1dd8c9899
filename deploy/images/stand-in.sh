#!/usr/bin/env bash
# Builds stand-ins for the images that deploy/compose takes from a registry, where none can be reached: of Debian's packages and of
# this host's Node.js. Needs root, docker, debootstrap, nats-server, prometheus and busybox-static.
#
#   kintsugi/stand-in-base:bookworm        for node:24-bookworm-slim: Debian 12, Node.js, npm, the user `node`
#   kintsugi/stand-in-nats:bookworm        for nats: Debian's nats-server
#   kintsugi/stand-in-etcd:bookworm        for quay.io/coreos/etcd: Debian's etcd and etcdctl, which are for labs
#   kintsugi/stand-in-haproxy:bookworm     for haproxy: Debian's haproxy and its libraries
#   kintsugi/stand-in-prometheus:bookworm  for prom/prometheus: Debian's prometheus
#   kintsugi/stand-in-grafana:bookworm     for grafana/grafana: no Grafana, only its health check's answer
#
# The base is kept in ~/.cache/kintsugi, for making it takes a minute.
set -euo pipefail

lacking=()
for program in docker debootstrap nats-server prometheus node npm; do
  command -v "$program" >/dev/null || lacking+=("$program")
done
[ -x /bin/busybox ] || lacking+=(busybox-static)
if [ "${#lacking[@]}" -gt 0 ]; then
  echo "stand-in images need ${lacking[*]}: apt-get install ${lacking[*]/#docker/docker.io}" >&2
  exit 1
fi

cache="${XDG_CACHE_HOME:-$HOME/.cache}/kintsugi"
archive="$cache/stand-in-base-$(node --version)-2.tar"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

if [ ! -f "$archive" ]; then
  root="$work/root"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
  modules="$(cd "$(dirname "$(readlink -f "$(command -v npm)")")/../.." && pwd)"
  install -D "$(readlink -f "$(command -v node)")" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
  cp -a "$modules/npm" "$root/usr/local/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  # Whom this host trusts: registries behind a proxy are reached as from the host.
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  echo 'cafile=/etc/ssl/certs/ca-certificates.crt' >"$root/usr/local/etc/npmrc"
  chroot "$root" groupadd -g 1000 node
  chroot "$root" useradd -u 1000 -g node -m node
  # As in the images they stand for: Docker gives a new volume the owner of what it covers.
  install -d -o 65534 -g 65534 "$root/prometheus"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/* "$root"/proc/* "$root"/sys/*
  mkdir -p "$cache"
  tar -C "$root" -cf "$archive.new" .
  mv "$archive.new" "$archive"
fi

base=kintsugi/stand-in-base:bookworm
path='ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
docker import -c "$path" "$archive" "$base" >/dev/null

# derive IMAGE CHANGE... -- SOURCE TARGET...: the base with files of this host in it.
derive() {
  local image="$1" changes=() container
  shift
  while [ "$1" != -- ]; do changes+=(-c "$1"); shift; done
  shift
  container="$(docker create "$base" true)"
  while [ $# -gt 0 ]; do docker cp -L "$1" "$container:$2" >/dev/null; shift 2; done
  docker commit "${changes[@]}" "$container" "$image" >/dev/null
  docker rm "$container" >/dev/null
}

wget=(/bin/busybox /usr/local/bin/wget)
derive kintsugi/stand-in-nats:bookworm 'CMD ["nats-server"]' -- "$(command -v nats-server)" /usr/local/bin/nats-server "${wget[@]}"
# These two are for --profile ha only, and left out where the host has not got them.
if command -v etcd >/dev/null && command -v etcdctl >/dev/null; then
  derive kintsugi/stand-in-etcd:bookworm 'ENTRYPOINT ["etcd"]' -- "$(command -v etcd)" /usr/local/bin/etcd "$(command -v etcdctl)" /usr/local/bin/etcdctl
fi
if command -v haproxy >/dev/null; then
  libraries=()
  for library in $(ldd "$(command -v haproxy)" | grep -o '/[^ ]*'); do libraries+=("$library" "/usr/local/lib/$(basename "$library")"); done
  derive kintsugi/stand-in-haproxy:bookworm 'ENTRYPOINT ["haproxy"]' 'ENV LD_LIBRARY_PATH=/usr/local/lib' -- "$(command -v haproxy)" /usr/local/bin/haproxy "${wget[@]}" "${libraries[@]}"
fi
derive kintsugi/stand-in-prometheus:bookworm 'ENTRYPOINT ["/bin/prometheus"]' 'USER 65534' -- "$(command -v prometheus)" /bin/prometheus "${wget[@]}"
mkdir -p "$work/api" && echo '{"database":"ok"}' >"$work/api/health"
derive kintsugi/stand-in-grafana:bookworm 'ENTRYPOINT ["busybox", "httpd", "-f", "-p", "3000", "-h", "/srv"]' 'USER 1000' -- \
  /bin/busybox /usr/local/bin/busybox "${wget[@]}" "$work/api" /srv/
echo "$base and its kin are there"
