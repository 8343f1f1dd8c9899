#!/usr/bin/env bash
# A libvirtd of its own, as the first process of its own network, mount and process namespaces: libvirtd.sh DIRECTORY. It shares no
# network, file or machine with a libvirtd of the host, and when its standard input ends, so does everything in it.
set -euo pipefail
directory=${1:?usage: libvirtd.sh DIRECTORY}
mount --make-rprivate /
ip link set lo up
# /sys shows the network namespace of whoever mounted it.
mkdir -p "$directory/cgroup"
mount --rbind /sys/fs/cgroup "$directory/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$directory/cgroup" /sys/fs/cgroup

for place in etc var/lib var/log var/cache run; do
  mkdir -p "$directory/$place" "/$place/libvirt"
  [ ! -d "/$place/libvirt" ] || cp -a "/$place/libvirt/." "$directory/$place"
  mount --bind "$directory/$place" "/$place/libvirt"
done
# Machines are root's, and are in nobody's cgroup: inside these namespaces there is nobody to protect from them.
cat > /etc/libvirt/qemu.conf <<'CONF'
user = "root"
group = "root"
security_driver = "none"
cgroup_controllers = []
namespaces = []
remember_owner = 0
stdio_handler = "file"
CONF
printf 'auth_unix_rw = "none"\nauth_unix_ro = "none"\nlog_filters = "4:*"\n' > /etc/libvirt/libvirtd.conf
libvirtd &
# Bash takes leave of the children of libvirtd that outlive their parents, as a first process has to.
read -r _ || true
