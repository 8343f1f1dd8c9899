#!/usr/bin/env bash
# Runs the cloud controller manager on the lab's host, with the host's libvirt for a cloud: cloud.sh [its other options]. A node whose
# machine is shut off gets the shutdown taint, one whose machine is gone goes at once. Nothing starts it by itself: who has libvirt's
# socket can do anything to every machine of the host.
#
# Settings, from the environment: KUBECONFIG (./kubeconfig), KINTSUGI_LIBVIRT_URI (qemu:///system), KINTSUGI_DOMAIN_PREFIX (the one of
# vagrant-libvirt: this directory's name and "_"), KINTSUGI_NETWORK (10.200), as the Vagrantfile has it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
uri=${KINTSUGI_LIBVIRT_URI:-qemu:///system}
prefix=${KINTSUGI_DOMAIN_PREFIX:-$(basename "$here")_}
network=${KINTSUGI_NETWORK:-10.200}

# libvirt knows the address of the machine in Vagrant's own network only.
virsh --quiet --connect "$uri" list --all --name | while read -r domain; do
  [[ "$domain" =~ ^"$prefix"node-([0-9]+)$ ]] || continue
  address="$network.0.$((10 + BASH_REMATCH[1]))"
  lasts=(--config)
  [ "$(virsh --quiet --connect "$uri" domstate --domain "$domain")" != running ] || lasts+=(--live)
  virsh --quiet --connect "$uri" metadata --domain "$domain" --uri http://kintsugi.dev/libvirt/1.0 --key kintsugi \
    --set "<machine address=\"$address\"/>" "${lasts[@]}" </dev/null >/dev/null
done

# Of its own making: the service has no client here but the people of this host.
pki=$(mktemp -d)
trap 'rm -rf "$pki"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj /CN=cloud-controller-manager \
  -keyout "$pki/tls.key" -out "$pki/tls.crt" 2>/dev/null

node "$here/../../apps/cloud-controller-manager/bundle/main.mjs" --kubeconfig "${KUBECONFIG:-$here/kubeconfig}" \
  --cloud-provider libvirt --libvirt-uri "$uri" --libvirt-domain-prefix "$prefix" \
  --bind-address 127.0.0.1 --tls-cert-file "$pki/tls.crt" --tls-private-key-file "$pki/tls.key" --client-ca-file "$pki/tls.crt" "$@" &
trap 'kill "$!" 2>/dev/null || true; wait "$!" || true; rm -rf "$pki"' EXIT
trap 'exit 143' TERM INT
wait "$!"
