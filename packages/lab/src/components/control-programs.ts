import { join } from "node:path";
import type { ClusterPaths } from "../cluster/cluster-paths.ts";
import type { Component } from "../cluster/component.ts";
import { clusterAddresses } from "../network/addresses.ts";
import type { Flags } from "../settings/setting.ts";
import { identityFiles, serviceAccountKeyFile } from "./identity-files.ts";
import { type ClusterLayout, controlPorts } from "./components.ts";
import { type ControlPlacement, placementKubeconfig } from "./control-placement.ts";
import { placementComponent, type PlacedProgram } from "./lab-program.ts";
import { etcdClientFiles } from "./server-pki.ts";

const nats: PlacedProgram = {
  name: "nats",
  command: ({ natsServer }) => natsServer,
  after: "placement",
  args: (_layout, placement) => ["-c", placement.natsConfig],
};

const apiServer: PlacedProgram = {
  name: "api-server",
  after: "stores",
  flags({ spec, paths }, placement) {
    const { serviceNetwork } = clusterAddresses(spec);
    const serving = identityFiles(paths.pki, placement.serving);
    const kubeletClient = identityFiles(paths.pki, "api-server-kubelet-client");
    const frontProxy = identityFiles(paths.pki, "front-proxy-client");
    return {
      "data-dir": placement.dataDirectory,
      "bind-address": `127.0.0.1,${placement.address}`,
      "secure-port": spec.apiPort,
      "tls-cert-file": serving.certFile,
      "tls-private-key-file": serving.keyFile,
      "client-ca-file": serving.caFile,
      "kubelet-client-certificate": kubeletClient.certFile,
      "kubelet-client-key": kubeletClient.keyFile,
      "kubelet-certificate-authority": serving.caFile,
      "proxy-client-cert-file": frontProxy.certFile,
      "proxy-client-key-file": frontProxy.keyFile,
      "requestheader-client-ca-file": identityFiles(paths.pki, "front-proxy-ca").certFile,
      "nats-server": placement.natsServers.join(","),
      "nats-ca-file": serving.caFile,
      "nats-account-seed-file": join(paths.pki, "nats-account.seed"),
      "service-account-signing-key-file": serviceAccountKeyFile(paths.pki),
      "cluster-name": spec.name,
      "service-cluster-ip-range": serviceNetwork,
      // The bridge has the ports of the servers' load balancer, and of the control plane's own
      // programs.
      "reserved-addresses": clusterAddresses(spec).gateway,
      ...etcdFlags(paths, placement),
    };
  },
};

const scheduler: PlacedProgram = {
  name: "scheduler",
  after: "API",
  flags: (layout, placement) => controllerFlags(layout, placement, { name: "scheduler", port: controlPorts.scheduler }),
};

const controllerManager: PlacedProgram = {
  name: "controller-manager",
  after: "API",
  flags(layout, placement) {
    const { spec, paths } = layout;
    const { network, reserved, serviceNetwork } = clusterAddresses(spec);
    const authority = identityFiles(paths.pki, "ca");
    return {
      ...controllerFlags(layout, placement, { name: "controller-manager", port: controlPorts.controllerManager }),
      "root-ca-file": identityFiles(paths.pki, "api-server").caFile,
      "service-account-private-key-file": serviceAccountKeyFile(paths.pki),
      "cluster-signing-cert-file": authority.certFile,
      "cluster-signing-key-file": authority.keyFile,
      "allocate-node-cidrs": "true",
      "cluster-cidr": network,
      "node-cidr-reserved": reserved.join(","),
      "service-cluster-ip-range": serviceNetwork,
    };
  },
};

/** Every program of a control plane, except its etcd. */
export const controlPrograms: readonly PlacedProgram[] = [nats, apiServer, scheduler, controllerManager];

/** Returns the processes of a control plane; only of these stages, if given. */
export function controlComponents(
  layout: ClusterLayout,
  placement: ControlPlacement,
  stages: readonly PlacedProgram["after"][] = ["placement", "stores", "API"],
): Component[] {
  return controlPrograms
    .filter(({ after }) => stages.includes(after))
    .map((program) => placementComponent(layout, program, placement));
}

/** The scheduler and the controller-manager share these flags, with their own names and ports. */
function controllerFlags(
  { paths }: ClusterLayout,
  placement: ControlPlacement,
  { name, port }: { name: string; port: number },
): Flags {
  const identity = identityFiles(paths.pki, name);
  return {
    kubeconfig: placementKubeconfig(placement, name),
    "bind-address": placement.address,
    "tls-cert-file": identity.certFile,
    "tls-private-key-file": identity.keyFile,
    "client-ca-file": identity.caFile,
    "secure-port": port,
  };
}

function etcdFlags({ pki }: ClusterPaths, { etcdServers }: ControlPlacement): Flags {
  if (etcdServers === undefined) return {};
  const { certFile, keyFile, caFile } = etcdClientFiles(pki);
  return {
    "etcd-servers": etcdServers.join(","),
    "etcd-cafile": caFile,
    "etcd-certfile": certFile,
    "etcd-keyfile": keyFile,
    // The load balancer checks once a second, and leaves a server out after the second failure.
    "shutdown-delay-duration": "2s",
  };
}
