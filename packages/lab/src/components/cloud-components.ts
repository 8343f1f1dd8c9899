import { join } from "node:path";
import { controlCgroup } from "../cluster/cluster-paths.ts";
import type { Component } from "../cluster/component.ts";
import { clusterAddresses } from "../network/addresses.ts";
import { identityFiles } from "./cluster-pki.ts";
import type { Flags } from "../settings/setting.ts";
import { type ClusterLayout, controlPorts, flags, settingArgs } from "./components.ts";

type CloudProgram = "cloud-lab" | "cloud-controller-manager" | "cluster-autoscaler";

/** Timers of `kintsugi up --cloud`: a lab's cloud answers in a millisecond, and may be asked. */
const labTimers = {
  "node-monitor-period": "1s",
  "node-status-update-frequency": "30s",
  "service-sync-period": "10s",
  "route-reconciliation-period": "2s",
} as const;

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

/** The cloud and the services that know it; none where the cluster has no cloud. */
export function cloudComponents(layout: ClusterLayout): Component[] {
  const { spec, paths, programs } = layout;
  if (spec.cloud === undefined) return [];
  const { bridge, balancers, network } = clusterAddresses(spec);
  const component = (id: CloudProgram, program: readonly string[], own: Flags): Component => ({
    id,
    command: [...program, ...flags(own), ...settingArgs(layout, id)],
    cgroup: controlCgroup(spec),
    logFile: join(paths.logs, `${id}.log`),
  });
  const cloud = {
    "cluster-name": spec.name,
    directory: paths.cloud,
    socket: paths.cloudSocket,
    "supervisor-socket": paths.supervisorSocket,
    "balancer-addresses": balancers,
    "balancer-link": bridge,
    "cluster-network": network,
  };
  const manager = {
    ...ownFlags(layout, "cloud-controller-manager", controlPorts.cloudControllerManager),
    "cluster-cidr": network,
    ...labTimers,
  };
  const autoscaler = {
    ...ownFlags(layout, "cluster-autoscaler", controlPorts.clusterAutoscaler),
    ...(spec.profile === "kubernetes" ? {} : quickScaling),
  };
  return [
    component("cloud-lab", programs.cloudLab, cloud),
    component("cloud-controller-manager", programs.cloudControllerManager, manager),
    ...(spec.cloud.machinesMax === 0 ? [] : [component("cluster-autoscaler", programs.clusterAutoscaler, autoscaler)]),
  ];
}

function ownFlags({ spec, paths }: ClusterLayout, id: string, port: number): Flags {
  const identity = identityFiles(paths.pki, id);
  return {
    kubeconfig: join(paths.data, `${id}.kubeconfig`),
    "cloud-socket": paths.cloudSocket,
    "bind-address": clusterAddresses(spec).gateway,
    "secure-port": port,
    "tls-cert-file": identity.certFile,
    "tls-private-key-file": identity.keyFile,
    "client-ca-file": identity.caFile,
  };
}
