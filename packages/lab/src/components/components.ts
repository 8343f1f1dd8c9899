import { join } from "node:path";
import { type ClusterPaths, nodeSystemCgroup } from "../cluster/cluster-paths.ts";
import type { ClusterSpec, NodeSpec } from "../cluster/cluster-spec.ts";
import { nodeAddresses } from "../network/addresses.ts";
import { serverPorts } from "../network/plan-cut.ts";
import type { NodeResolver } from "../network/node-resolver.ts";
import type { Component } from "../cluster/component.ts";
import type { Flags } from "../settings/setting.ts";
import { withPluginsOfUp } from "../settings/control-plane/admission-plugins.ts";
import { argsAppendedTo, flagsGivenTo } from "../settings/desired-settings.ts";

/** The command of each program: its file and its first arguments. */
export interface Programs {
  /** Returns the command of the app in this folder of `apps/`: "scheduler". */
  app(folder: string): readonly string[];
  /** Only clusters with several servers or with Ingresses need HAProxy. */
  readonly haproxy: readonly string[];
  readonly natsServer: readonly string[];
  /** Only clusters with several servers need etcd. */
  readonly etcd: readonly string[];
  readonly containerd: readonly string[];
}

export interface ClusterLayout {
  /** The present spec, which changes when nodes are added and removed. */
  readonly spec: ClusterSpec;
  readonly paths: ClusterPaths;
  readonly programs: Programs;
  readonly resolver: NodeResolver;
}

/** Ports of the control plane on the bridge, where clusters never collide. */
export const controlPorts = {
  nats: serverPorts.nats,
  scheduler: 10259,
  controllerManager: 10257,
  kubelet: 10250,
} as const;

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
 * Flags for nodes that share their host's disk, and whose images cannot be pulled again: as in
 * kind, a host whose disk is nearly full causes neither evictions nor removals of images.
 */
export const sharedDiskFlags = {
  "eviction-hard": "memory.available<100Mi",
  "image-gc-high-threshold": 100,
} as const;

/**
 * Returns the arguments that the cluster's settings give to a program; the users' arguments are
 * last.
 */
export function settingArgs(
  { spec, paths }: Pick<ClusterLayout, "spec" | "paths">,
  program: string,
  suffix = "",
): string[] {
  const files = { cloudGroups: paths.cloudGroups, auditLog: join(paths.logs, `audit${suffix.replace("@", "-")}.log`) };
  const given = flagsGivenTo(program, spec, files);
  const appended = withPluginsOfUp(given, argsAppendedTo(program, spec));
  return [...flags(given), ...appended.map((argument) => `--${argument}`)];
}

/** Returns the arguments of these flags, each as "--name=value". */
export function flags(values: Flags): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
