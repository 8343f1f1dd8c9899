#!/usr/bin/env bash
# Makes this machine a control plane: control-plane.sh ADDRESS [what `kintsugi init` takes besides: --profile fast, --api-name …]
# ADDRESS is this machine's, as the nodes reach it. Repeatable: keys, certificates and configuration files that are there stay.
#
# One of several: the first with --servers, which leaves /etc/kintsugi/control-plane.join and prints a key; the others with
# --join-control-plane FILE and that key in KINTSUGI_CERTIFICATE_KEY. The first serves when the second is there: until then it waits, for
# KINTSUGI_WAIT_SECONDS (300); 0 does not wait.
. "$(dirname "$0")/install.sh"
address=${1:?usage: control-plane.sh ADDRESS [options of kintsugi init]}
shift
units=(kintsugi-nats kintsugi-api-server kintsugi-scheduler kintsugi-controller-manager)
# One of several machines has a member of etcd too.
case " $* " in *" --servers"* | *" --join-control-plane"*) units=(kintsugi-etcd "${units[@]}") ;; esac

ensure_packages nats-server
case " ${units[*]} " in *" kintsugi-etcd "*)
  ensure_packages etcd-server
  systemctl disable --now --quiet etcd 2>/dev/null || true
  ;;
esac
# Debian starts a nats-server without keys.
systemctl disable --now --quiet nats-server 2>/dev/null || true
ensure_node
id kintsugi >/dev/null 2>&1 || useradd --system --home-dir /var/lib/kintsugi --no-create-home --shell /usr/sbin/nologin kintsugi
install_programs "${units[@]}"

install -d -m 0700 /etc/kintsugi
kintsugi --quiet init "$address" "$@"
chown -R kintsugi:kintsugi /etc/kintsugi
start_units "${units[@]}"

seconds="${KINTSUGI_WAIT_SECONDS:-300}"
if [ "$seconds" -eq 0 ]; then
  echo "the services of the control plane are started at https://$address:6443"
  exit 0
fi
for _ in $(seq $((seconds * 2))); do
  # Cheap to ask; the command below then waits for what is behind the port.
  if (exec 3<> "/dev/tcp/$address/6443") 2>/dev/null && kintsugi token list --kubeconfig /etc/kintsugi/admin.kubeconfig >/dev/null; then
    echo "the control plane serves at https://$address:6443; a machine joins with what this prints:"
    echo "  kintsugi token create --print-join-command --kubeconfig /etc/kintsugi/admin.kubeconfig"
    exit 0
  fi
  sleep 0.5
done
echo "the API server does not answer; see journalctl -u kintsugi-api-server" >&2
exit 1
