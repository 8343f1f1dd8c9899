import { join } from "node:path";
import { type ClusterPaths, nodeSystemCgroup } from "../cluster/cluster-paths.ts";
import type { ClusterSpec, NodeSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, nodeAddresses } from "../network/addresses.ts";
import { serverPorts } from "../network/plan-cut.ts";
import type { NodeResolver } from "../network/node-resolver.ts";
import { identityFiles, serviceAccountKeyFile } from "./cluster-pki.ts";
import type { Component } from "../cluster/component.ts";
import type { Flags, ProgramName } from "../settings/setting.ts";
import { argsAppendedTo, flagsGivenTo } from "../settings/wishes.ts";
import { type ControlSeat, seatKubeconfig } from "./control-seat.ts";
import { etcdClientFiles } from "./server-pki.ts";

/** The command of each service: the program and its first arguments. */
export interface Programs {
  readonly apiServer: readonly string[];
  readonly scheduler: readonly string[];
  readonly controllerManager: readonly string[];
  readonly kubelet: readonly string[];
  readonly proxy: readonly string[];
  readonly csiLab: readonly string[];
  readonly csiController: readonly string[];
  readonly deviceLab: readonly string[];
  readonly ingressController: readonly string[];
  readonly cloudLab: readonly string[];
  readonly cloudControllerManager: readonly string[];
  readonly clusterAutoscaler: readonly string[];
  readonly hollow: readonly string[];
  /** Clusters with several servers or with Ingresses have one. */
  readonly haproxy: readonly string[];
  readonly natsServer: readonly string[];
  /** Only clusters with several servers run it. */
  readonly etcd: readonly string[];
  readonly containerd: readonly string[];
}

export interface ClusterLayout {
  /** The present one: it changes when nodes are added and removed. */
  readonly spec: ClusterSpec;
  readonly paths: ClusterPaths;
  readonly programs: Programs;
  readonly resolver: NodeResolver;
}

/**
 * Ports on which NATS and the health of scheduler and controller-manager are served: on the bridge,
 * so clusters never collide.
 */
export const controlPorts = {
  nats: serverPorts.nats,
  scheduler: 10259,
  controllerManager: 10257,
  csiController: 10261,
  ingressController: 10262,
  cloudControllerManager: 10258,
  clusterAutoscaler: 8085,
  kubelet: 10250,
} as const;

export function natsComponent(layout: ClusterLayout, seat: ControlSeat): Component {
  return seated(layout, { seat, name: "nats", command: [...layout.programs.natsServer, "-c", seat.natsConfig] });
}

export function apiServerComponent(layout: ClusterLayout, seat: ControlSeat): Component {
  const { spec, paths, programs } = layout;
  const { serviceNetwork } = clusterAddresses(spec);
  const serving = identityFiles(paths.pki, seat.serving);
  const kubeletClient = identityFiles(paths.pki, "api-server-kubelet-client");
  const frontProxy = identityFiles(paths.pki, "front-proxy-client");
  const command = [
    ...programs.apiServer,
    ...flags({
      "data-dir": seat.dataDirectory,
      "bind-address": `127.0.0.1,${seat.address}`,
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
      "nats-server": seat.natsServers.join(","),
      "nats-ca-file": serving.caFile,
      "nats-account-seed-file": join(paths.pki, "nats-account.seed"),
      "service-account-signing-key-file": serviceAccountKeyFile(paths.pki),
      "cluster-name": spec.name,
      "service-cluster-ip-range": serviceNetwork,
      // The bridge has the servers' balancer, and the control plane's own programs.
      "reserved-addresses": clusterAddresses(spec).gateway,
      ...etcdFlags(paths, seat),
    }),
    ...settingArgs(layout, "api-server", seat.suffix),
  ];
  return seated(layout, { seat, name: "api-server", command });
}

function etcdFlags({ pki }: ClusterPaths, { etcdServers }: ControlSeat): Flags {
  if (etcdServers === undefined) return {};
  const { certFile, keyFile, caFile } = etcdClientFiles(pki);
  return {
    "etcd-servers": etcdServers.join(","),
    "etcd-cafile": caFile,
    "etcd-certfile": certFile,
    "etcd-keyfile": keyFile,
    // The balancer looks once a second, and leaves a server out after the second failure.
    "shutdown-delay-duration": "2s",
  };
}

/** Scheduler and controller-manager differ only in their names and ports. */
export function controllerComponents(layout: ClusterLayout, seat: ControlSeat): Component[] {
  const { spec, paths, programs } = layout;
  const { network, reserved, serviceNetwork } = clusterAddresses(spec);
  const authority = identityFiles(paths.pki, "ca");
  const component = (name: "scheduler" | "controller-manager", program: readonly string[], own: Flags): Component => {
    const identity = identityFiles(paths.pki, name);
    const command = [
      ...program,
      ...flags({
        kubeconfig: seatKubeconfig(seat, name),
        "bind-address": seat.address,
        "tls-cert-file": identity.certFile,
        "tls-private-key-file": identity.keyFile,
        "client-ca-file": identity.caFile,
        ...own,
      }),
      ...settingArgs(layout, name),
    ];
    return seated(layout, { seat, name, command });
  };
  const { caFile: rootCaFile } = identityFiles(paths.pki, "api-server");
  return [
    component("scheduler", programs.scheduler, { "secure-port": controlPorts.scheduler }),
    component("controller-manager", programs.controllerManager, {
      "secure-port": controlPorts.controllerManager,
      "root-ca-file": rootCaFile,
      "service-account-private-key-file": serviceAccountKeyFile(paths.pki),
      "cluster-signing-cert-file": authority.certFile,
      "cluster-signing-key-file": authority.keyFile,
      "allocate-node-cidrs": "true",
      "cluster-cidr": network,
      "node-cidr-reserved": reserved.join(","),
      "service-cluster-ip-range": serviceNetwork,
    }),
  ];
}

/** A process of a control plane, in its seat. */
function seated(
  { paths }: ClusterLayout,
  { seat, name, command }: { seat: ControlSeat; name: string; command: readonly string[] },
): Component {
  const { suffix, cgroup, namespacePath, hostname } = seat;
  return {
    id: `${name}${suffix}`,
    command,
    cgroup,
    ...(namespacePath === undefined ? {} : { namespacePath }),
    ...(hostname === undefined ? {} : { hostname }),
    logFile: join(paths.logs, `${name}${suffix.replace("@", "-")}.log`),
  };
}

export function containerdComponent(layout: ClusterLayout, node: NodeSpec, configFile: string): Component {
  const { spec, paths, programs } = layout;
  return {
    id: `containerd@${node.name}`,
    command: [...programs.containerd, "--config", configFile],
    cgroup: nodeSystemCgroup(spec, node),
    namespacePath: nodeAddresses(spec, node).namespacePath,
    logFile: join(paths.logs, `containerd-${node.name}.log`),
  };
}

/**
 * Nodes that share their host's disk, and images that cannot be pulled again: as kind does, a host
 * whose disk is nearly full evicts no pod and removes no image.
 */
export const sharedDiskFlags = {
  "eviction-hard": "memory.available<100Mi",
  "image-gc-high-threshold": 100,
} as const;

/** Returns the arguments of a program that the cluster's settings give; those of users are last. */
export function settingArgs(
  { spec, paths }: Pick<ClusterLayout, "spec" | "paths">,
  program: ProgramName,
  suffix = "",
): string[] {
  const files = { cloudGroups: paths.cloudGroups, auditLog: join(paths.logs, `audit${suffix.replace("@", "-")}.log`) };
  return [
    ...flags(flagsGivenTo(program, spec, files)),
    ...argsAppendedTo(program, spec).map((argument) => `--${argument}`),
  ];
}

/** Returns the arguments of these flags, each as "--name=value". */
export function flags(values: Flags): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
