#!/usr/bin/env bash
# Makes this machine a node: node.sh SERVER --token … --discovery-token-ca-cert-hash … --node-ip ADDRESS [what else `kintsugi join`
# takes]. Repeatable: who has joined keeps its identity, and its containers go on.
#
# The network that the nodes share holds the pods' ranges too, say 10.88.0.0/16 with nodes in 10.88.0.0/24 and their pods in
# 10.88.128.0/17: then everybody asks by ARP for a pod's address, its node answers, and no routes have to be kept.
. "$(dirname "$0")/install.sh"
[ "$#" -gt 0 ] || { sed -n 's/^# //p' "$0" | head -3 >&2; exit 1; }
units=(kintsugi-containerd kintsugi-kubelet kintsugi-proxy)

ensure_packages containerd runc containernetworking-plugins iproute2 iptables nftables conntrack catatonit busybox-static procps
# Debian starts a containerd for everybody; this node has its own.
systemctl disable --now --quiet containerd 2>/dev/null || true
ensure_node
install_programs "${units[@]}"

printf '%s\n' overlay br_netfilter > /etc/modules-load.d/kintsugi.conf
modprobe -a overlay br_netfilter 2>/dev/null || true
cat > /etc/sysctl.d/90-kintsugi.conf <<'SYSCTL'
net.ipv4.ip_forward = 1
net.ipv4.conf.all.proxy_arp = 1
net.ipv4.neigh.default.proxy_delay = 0
SYSCTL
sysctl --quiet --system

install -d -m 0700 /etc/kintsugi
# Nobody waits at a terminal: a control plane that has just started, on a slow machine, may take its time to sign for the token.
kintsugi join --discovery-timeout 5m "$@"
start_containerd /var/lib/kintsugi/containerd.started /usr/bin/containerd /etc/kintsugi/containerd.toml /etc/systemd/system/kintsugi-containerd.service
start_units kintsugi-kubelet kintsugi-proxy
