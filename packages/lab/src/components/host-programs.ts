import { join } from "node:path";
import { clusterAddresses } from "../network/addresses.ts";
import type { Flags, ProgramName } from "../settings/setting.ts";
import { identityFiles } from "./cluster-pki.ts";
import { type ClusterLayout, controlPorts } from "./components.ts";
import type { HostProgram } from "./lab-program.ts";

/** The name of the driver whose disks lie in the cluster's own directory. */
export const labDriverName = "lab.csi.kintsugi.dev";

/** The cluster's nodes without containers, in one process. */
const hollow: HostProgram = {
  name: "hollow",
  command: "hollow",
  after: "control plane",
  when: ({ hollowNodes = 0 }) => hollowNodes > 0,
  flags: ({ paths }) => ({ kubeconfig: paths.adminKubeconfig }),
};

/** Ingresses are served on the usual ports of the bridge. */
const ingressController: HostProgram = {
  name: "ingress-controller",
  command: "ingressController",
  after: "control plane",
  when: ({ ingress }) => ingress === true,
  flags(layout) {
    const { gateway } = clusterAddresses(layout.spec);
    return {
      ...serviceFlags(layout, "ingress-controller", controlPorts.ingressController),
      "serve-address": gateway,
      directory: layout.paths.ingress,
      haproxy: layout.programs.haproxy[0] ?? "haproxy",
    };
  },
};

const cloudLab: HostProgram = {
  name: "cloud-lab",
  command: "cloudLab",
  after: "control plane",
  when: ({ cloud }) => cloud !== undefined,
  flags({ spec, paths }) {
    const { bridge, balancers, network } = clusterAddresses(spec);
    return {
      "cluster-name": spec.name,
      directory: paths.cloud,
      socket: paths.cloudSocket,
      "supervisor-socket": paths.supervisorSocket,
      "balancer-addresses": balancers,
      "balancer-link": bridge,
      "cluster-network": network,
    };
  },
};

/** Timers of `kintsugi up --cloud`: a lab's cloud answers in a millisecond, and may be asked. */
const labTimers = {
  "node-monitor-period": "1s",
  "node-status-update-frequency": "30s",
  "service-sync-period": "10s",
  "route-reconciliation-period": "2s",
} as const;

const cloudControllerManager: HostProgram = {
  name: "cloud-controller-manager",
  command: "cloudControllerManager",
  after: "control plane",
  when: ({ cloud }) => cloud !== undefined,
  flags: (layout) => ({
    ...serviceFlags(layout, "cloud-controller-manager", controlPorts.cloudControllerManager),
    "cloud-socket": layout.paths.cloudSocket,
    "cluster-cidr": clusterAddresses(layout.spec).network,
    ...labTimers,
  }),
};

/** A machine of a lab is a node within seconds, so waiting for minutes would teach nothing. */
const quickScaling = {
  "scan-interval": "1s",
  "scale-down-unneeded-time": "20s",
  "scale-down-delay-after-add": "20s",
  "scale-down-delay-after-failure": "20s",
  "scale-down-unready-time": "2m",
  "max-node-provision-time": "2m",
  "max-pod-eviction-time": "2m",
  "initial-node-group-backoff-duration": "10s",
  "max-node-group-backoff-duration": "2m",
} as const;

const clusterAutoscaler: HostProgram = {
  name: "cluster-autoscaler",
  command: "clusterAutoscaler",
  after: "control plane",
  when: ({ cloud }) => cloud !== undefined && cloud.machinesMax > 0,
  flags: (layout) => ({
    ...serviceFlags(layout, "cluster-autoscaler", controlPorts.clusterAutoscaler),
    "cloud-socket": layout.paths.cloudSocket,
    ...(layout.spec.profile === "kubernetes" ? {} : quickScaling),
  }),
};

/** The storage driver's controller. */
const csiLab: HostProgram = {
  name: "csi-lab",
  command: "csiLab",
  after: "nodes",
  when: ({ csi }) => csi === true,
  flags: ({ paths }) => ({
    mode: "controller",
    "driver-name": labDriverName,
    directory: paths.disks,
    socket: paths.csiSocket,
  }),
};

/** The service that makes and attaches volumes with the driver. */
const csiController: HostProgram = {
  name: "csi-controller",
  command: "csiController",
  after: "nodes",
  when: ({ csi }) => csi === true,
  flags: (layout) => ({
    ...serviceFlags(layout, "csi-controller", controlPorts.csiController),
    "csi-address": layout.paths.csiSocket,
  }),
};

/** Every program that runs once on the host, beside the control plane. */
export const hostPrograms: readonly HostProgram[] = [
  hollow,
  ingressController,
  cloudLab,
  cloudControllerManager,
  clusterAutoscaler,
  csiLab,
  csiController,
];

/** The flags of a program with an identity of its own, which serves health on the bridge. */
function serviceFlags({ spec, paths }: ClusterLayout, name: ProgramName, port: number): Flags {
  const { certFile, keyFile, caFile } = identityFiles(paths.pki, name);
  return {
    kubeconfig: join(paths.data, `${name}.kubeconfig`),
    "bind-address": clusterAddresses(spec).gateway,
    "secure-port": port,
    "tls-cert-file": certFile,
    "tls-private-key-file": keyFile,
    "client-ca-file": caFile,
  };
}
