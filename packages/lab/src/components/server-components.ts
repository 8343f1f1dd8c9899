import { join } from "node:path";
import { controlCgroup, serverCgroup, serverPaths } from "../cluster/cluster-paths.ts";
import type { ServerSpec } from "../cluster/cluster-spec.ts";
import type { Component } from "../cluster/component.ts";
import { serverAddresses } from "../network/addresses.ts";
import { serverPorts } from "../network/plan-cut.ts";
import { etcdFiles } from "./server-pki.ts";
import { type ClusterLayout, flags } from "./components.ts";
import { controlComponents } from "./control-programs.ts";
import { serverPlacement } from "./control-placement.ts";

/** The stores of a server, which other servers need before API servers can start. */
export function serverStores(layout: ClusterLayout, server: ServerSpec): Component[] {
  return [etcdComponent(layout, server), ...controlComponents(layout, serverPlacement(layout, server), ["placement"])];
}

/** All processes of a server's control plane, including its stores. */
export function serverComponents(layout: ClusterLayout, server: ServerSpec): Component[] {
  return [etcdComponent(layout, server), ...controlComponents(layout, serverPlacement(layout, server))];
}

/**
 * The load balancer on the host: the address of kubectl, and of all other programs that support
 * only one address.
 */
export function balancerComponent({ spec, paths, programs }: ClusterLayout): Component {
  return {
    id: "balancer",
    command: [...programs.haproxy, "-db", "-f", paths.balancerConfig],
    cgroup: controlCgroup(spec),
    logFile: join(paths.logs, "balancer.log"),
  };
}

function etcdComponent({ spec, paths, programs }: ClusterLayout, server: ServerSpec): Component {
  const { address, namespacePath } = serverAddresses(spec, server);
  const { certFile, keyFile, caFile } = etcdFiles(paths.pki, server);
  const peerUrl = (each: ServerSpec) => `https://${serverAddresses(spec, each).address}:${serverPorts.etcdPeer}`;
  const clientUrl = `https://${address}:${serverPorts.etcd}`;
  return {
    id: `etcd@${server.name}`,
    command: [
      ...programs.etcd,
      ...flags({
        name: server.name,
        "data-dir": serverPaths(paths, server).etcd,
        logger: "zap",
        "log-outputs": "stderr",
        "listen-client-urls": clientUrl,
        "advertise-client-urls": clientUrl,
        "listen-peer-urls": peerUrl(server),
        "initial-advertise-peer-urls": peerUrl(server),
        "initial-cluster": (spec.servers ?? []).map((each) => `${each.name}=${peerUrl(each)}`).join(","),
        "initial-cluster-token": `kintsugi-${spec.name}`,
        "cert-file": certFile,
        "key-file": keyFile,
        "trusted-ca-file": caFile,
        "client-cert-auth": "true",
        "peer-cert-file": certFile,
        "peer-key-file": keyFile,
        "peer-trusted-ca-file": caFile,
        "peer-client-cert-auth": "true",
      }),
    ],
    cgroup: serverCgroup(spec, server),
    namespacePath,
    hostname: server.name,
    logFile: join(paths.logs, `etcd-${server.name}.log`),
  };
}
