#!/usr/bin/env bash
# Builds what a box is made of, out of Debian packages: build-box.sh DIRECTORY. Leaves there vmlinuz, initrd.img, disk.img and the key
# `ssh` of its root. Takes minutes; what is there is not built again.
set -euo pipefail
directory=${1:?usage: build-box.sh DIRECTORY}
mkdir -p "$directory"
cd "$directory"
[ ! -f complete ] || exit 0
rootfs=$PWD/rootfs
root_home=/root
packages=systemd,systemd-sysv,udev,openssh-server,linux-image-cloud-amd64,iproute2,ca-certificates,kmod,procps,netbase
# What the provisioning scripts install where there are packages to be had.
packages+=,containerd,runc,containernetworking-plugins,nats-server,iptables,nftables,catatonit,busybox-static

if [ ! -f "$rootfs/etc/debian_version" ]; then
  rm -rf "$rootfs.part"
  debootstrap --variant=minbase --include="$packages" bookworm "$rootfs.part"
  mv "$rootfs.part" "$rootfs"
fi
# The scripts ask for Node.js 20.19 or newer, which Debian 12 does not have: the host's.
install -m 0755 "$(readlink -f "$(command -v node)")" "$rootfs/usr/bin/node"

[ -f ssh ] || ssh-keygen -q -t ed25519 -N '' -f ssh
install -D -m 0600 ssh.pub "$rootfs$root_home/.ssh/authorized_keys"
rm -f "$rootfs"/etc/ssh/ssh_host_*
ssh-keygen -q -A -f "$rootfs"

# Name and address come from the kernel's command line: systemd.hostname=, and ip= by way of systemd-network-generator.
rm -f "$rootfs/etc/hostname"
: > "$rootfs/etc/machine-id"
echo '/dev/vda / ext4 defaults,noatime 0 1' > "$rootfs/etc/fstab"
for unit in systemd-networkd ssh; do systemctl --root="$rootfs" --quiet enable "$unit"; done
# Nothing is to happen by itself meanwhile.
systemctl --root="$rootfs" --quiet mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer
systemctl --root="$rootfs" --quiet disable containerd nats-server 2>/dev/null || true

cp "$rootfs"/boot/vmlinuz-* vmlinuz
cp "$rootfs"/boot/initrd.img-* initrd.img
rm -f disk.img
truncate -s 4G disk.img
mkfs.ext4 -q -F -d "$rootfs" -E lazy_itable_init=1 disk.img
touch complete
