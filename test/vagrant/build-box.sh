#!/usr/bin/env bash
# Builds a box for vagrant-libvirt out of Debian packages: build-box.sh DIRECTORY leaves DIRECTORY/kintsugi.box. It takes minutes, so
# one that this very script has built is not built again.
set -euo pipefail
directory=${1:?usage: build-box.sh DIRECTORY}
script=$(realpath "$0")
mkdir -p "$directory"
cd "$directory"
node=$(readlink -f "$(command -v node)")
recipe=$(cat "$script" <("$node" --version) | sha256sum)
[ "$(cat recipe 2>/dev/null)" != "$recipe" ] || exit 0
rm -f recipe
rootfs=$PWD/rootfs
packages=systemd,systemd-sysv,udev,openssh-server,sudo,linux-image-cloud-amd64,iproute2,ca-certificates,kmod,procps,netbase
# What the provisioning scripts install where there are packages to be had: machines of a test install nothing.
packages+=,containerd,runc,containernetworking-plugins,nats-server,iptables,nftables,catatonit,busybox-static

rm -rf "$rootfs"
debootstrap --variant=minbase --include="$packages" bookworm "$rootfs" > debootstrap.log || { tail debootstrap.log >&2; exit 1; }
# The scripts ask for Node.js 20.19 or newer, which Debian 12 does not have: the host's.
install -m 0755 "$node" "$rootfs/usr/bin/node"

# Vagrant logs in as `vagrant`, and is root when it wants to be.
ssh-keygen -q -t ed25519 -N '' -f ssh <<< y > /dev/null
chroot "$rootfs" useradd --create-home --shell /bin/bash vagrant
install -d -m 0700 "$rootfs/home/vagrant/.ssh"
install -m 0600 ssh.pub "$rootfs/home/vagrant/.ssh/authorized_keys"
chroot "$rootfs" chown -R vagrant:vagrant /home/vagrant/.ssh
echo 'vagrant ALL=(ALL) NOPASSWD: ALL' > "$rootfs/etc/sudoers.d/vagrant"
# A reverse look-up of who logs in would wait for a name server that is not there.
echo 'UseDNS no' > "$rootfs/etc/ssh/sshd_config.d/lab.conf"

# The network that Vagrant manages machines by; it configures the others.
printf '[Match]\nName=eth0\n[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\n' > "$rootfs/etc/systemd/network/10-eth0.network"
rm -f "$rootfs/etc/hostname"
: > "$rootfs/etc/machine-id"
echo '/dev/vda / ext4 defaults,noatime 0 1' > "$rootfs/etc/fstab"
systemctl --root="$rootfs" --quiet enable systemd-networkd ssh
# Nothing is to happen by itself meanwhile.
systemctl --root="$rootfs" --quiet mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
  e2scrub_reap.service fstrim.timer
systemctl --root="$rootfs" --quiet disable containerd nats-server
rm -rf "$rootfs"/usr/share/{doc,man,locale} "$rootfs"/var/cache/apt/*.bin "$rootfs"/var/cache/apt/archives/*.deb "$rootfs"/var/lib/apt/lists/*

mv "$rootfs"/boot/vmlinuz-* vmlinuz
mv "$rootfs"/boot/initrd.img-* initrd.img
rm -f disk.raw
truncate -s 6G disk.raw
mkfs.ext4 -q -F -d "$rootfs" -E lazy_itable_init=1 disk.raw
qemu-img convert -O qcow2 disk.raw box.img
echo '{ "provider": "libvirt", "format": "qcow2", "virtual_size": 6 }' > metadata.json
# The box has no boot loader: its kernel is qemu's to load. qemu emulates, for not every machine that tests can virtualize.
cat > Vagrantfile <<'RUBY'
Vagrant.configure("2") do |config|
  config.ssh.insert_key = false
  config.ssh.private_key_path = File.join(__dir__, "ssh")
  config.ssh.connect_timeout = 60
  # An emulated machine takes its time.
  config.vm.boot_timeout = 900
  config.vm.graceful_halt_timeout = 300
  config.vm.provider :libvirt do |it|
    it.driver = "qemu"
    it.cpu_mode = "maximum"
    it.kernel = File.join(__dir__, "vmlinuz")
    it.initrd = File.join(__dir__, "initrd.img")
    it.cmd_line = "root=/dev/vda rw console=ttyS0 net.ifnames=0 quiet mitigations=off"
    it.graphics_type = "none"
    # What is lost when a machine loses power is what its own kernel had not written, which is no more than that.
    it.disk_driver :cache => "unsafe"
  end
end
RUBY
tar -cf kintsugi.box metadata.json Vagrantfile box.img vmlinuz initrd.img ssh
rm -rf "$rootfs" disk.raw box.img
echo "$recipe" > recipe
