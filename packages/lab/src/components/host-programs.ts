import { clusterAddresses } from "../network/addresses.ts";
import type { HostProgram } from "./lab-program.ts";

/** The name of the driver whose disks are in the cluster's own directory. */
export const labDriverName = "lab.csi.kintsugi.dev";

/** The cluster's nodes without containers, in one process. */
const hollow: HostProgram = {
  name: "hollow",
  after: "control plane",
  when: ({ hollowNodes = 0 }) => hollowNodes > 0,
  flags: ({ paths }) => ({ kubeconfig: paths.adminKubeconfig }),
};

/** Ingresses are served on the default ports of the bridge. */
const ingressController: HostProgram = {
  name: "ingress-controller",
  port: 10262,
  after: "control plane",
  when: ({ ingress }) => ingress === true,
  flags(layout) {
    const { gateway } = clusterAddresses(layout.spec);
    return {
      "serve-address": gateway,
      directory: layout.paths.ingress,
      haproxy: layout.programs.haproxy[0] ?? "haproxy",
    };
  },
};

const cloudLab: HostProgram = {
  name: "cloud-lab",
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

/**
 * Timers of `kintsugi up --cloud`: a lab's cloud responds in a millisecond, and may be queried
 * often.
 */
const labTimers = {
  "node-monitor-period": "1s",
  "node-status-update-frequency": "30s",
  "service-sync-period": "10s",
  "route-reconciliation-period": "2s",
} as const;

const cloudControllerManager: HostProgram = {
  name: "cloud-controller-manager",
  port: 10258,
  after: "control plane",
  when: ({ cloud }) => cloud !== undefined,
  flags: (layout) => ({
    "cloud-socket": layout.paths.cloudSocket,
    "cluster-cidr": clusterAddresses(layout.spec).network,
    ...labTimers,
  }),
};

/** A machine of a lab is a node within seconds, so a wait of minutes would be useless. */
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
  port: 8085,
  after: "control plane",
  when: ({ cloud }) => cloud !== undefined && cloud.machinesMax > 0,
  flags: (layout) => ({
    "cloud-socket": layout.paths.cloudSocket,
    ...(layout.spec.profile === "kubernetes" ? {} : quickScaling),
  }),
};

/** The storage driver's controller. */
const csiLab: HostProgram = {
  name: "csi-lab",
  after: "nodes",
  when: ({ csi }) => csi === true,
  flags: ({ paths }) => ({
    mode: "controller",
    "driver-name": labDriverName,
    directory: paths.disks,
    socket: paths.csiSocket,
  }),
};

/** The service that creates and attaches volumes with the driver. */
const csiController: HostProgram = {
  name: "csi-controller",
  port: 10261,
  after: "nodes",
  when: ({ csi }) => csi === true,
  flags: (layout) => ({
    "csi-address": layout.paths.csiSocket,
  }),
};

/** Every program that runs once on the host, in addition to the control plane. */
export const hostPrograms: readonly HostProgram[] = [
  hollow,
  ingressController,
  cloudLab,
  cloudControllerManager,
  clusterAutoscaler,
  csiLab,
  csiController,
];

/** Names of the programs of the host that have an identity and a kubeconfig of their own. */
export const servicesOfHost = hostPrograms.flatMap(({ name, port }) => (port === undefined ? [] : [name]));
