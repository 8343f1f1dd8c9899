import { join } from "node:path";
import { controlCgroup, logFileName, nodeSystemCgroup } from "../cluster/cluster-paths.ts";
import type { ClusterSpec, NodeSpec } from "../cluster/cluster-spec.ts";
import type { Component } from "../cluster/component.ts";
import { clusterAddresses, nodeAddresses } from "../network/addresses.ts";
import type { Flags } from "../settings/setting.ts";
import type { ControlPlacement } from "./control-placement.ts";
import { type ClusterLayout, flags, type Programs, settingArgs } from "./components.ts";
import { identityFiles } from "./identity-files.ts";

// The programs of a cluster, as values. A program starts after the event in `after`:
//
//   in a placement  placement ────── the machine of the control plane exists
//                 stores ───────── NATS and, on servers, etcd run
//                 API ──────────── the API server has started, or its timeout has passed
//   on the host   control plane ── the API server has started, or its timeout has passed
//                 nodes ────────── every node is up, after an undisturbed start of its kubelet
//   on a node     images ───────── its containerd runs and has the standard images
//                 kubelet ──────── its kubelet serves, or its timeout has passed
//                 nodes ────────── as on the host

/** A program of a control plane, which runs in its placement: the host, or a server of its own. */
export interface PlacedProgram {
  /** The name of its process and log, and of its folder in `apps/`. */
  readonly name: string;
  /** Returns the command of a program that is not an app. */
  command?(programs: Programs): readonly string[];
  readonly after: "placement" | "stores" | "API";
  /** Returns arguments before all flags. */
  args?(layout: ClusterLayout, placement: ControlPlacement): readonly string[];
  flags?(layout: ClusterLayout, placement: ControlPlacement): Flags;
}

/** A program that runs once, on the host itself. */
export interface HostProgram {
  /** The name of its folder in `apps/`, its process, its log and its identity. */
  readonly name: string;
  /**
   * Port of health checks on the bridge. A program with a port has a certificate and a kubeconfig
   * of its own, for the user `kintsugi:<name>`.
   */
  readonly port?: number;
  readonly after: "control plane" | "nodes";
  readonly when: (spec: ClusterSpec) => boolean;
  /** Returns the program's flags, except the flags of settings and of its port. */
  flags(layout: ClusterLayout): Flags;
}

/** A program that runs on each node. */
export interface NodeProgram {
  /** The name of its folder in `apps/`; its process is "<name>@<node>". */
  readonly name: string;
  readonly after: "images" | "kubelet" | "nodes";
  /** True if the program runs in the node's network instead of the host's. */
  readonly inNodeNetwork: boolean;
  readonly when: (spec: ClusterSpec) => boolean;
  flags(layout: ClusterLayout, node: NodeSpec): Flags;
  /** Returns arguments that follow all other arguments, "name=value". */
  appends?(node: NodeSpec): readonly string[];
}

/** Returns the process of a program in a placement. */
export function placementComponent(
  layout: ClusterLayout,
  program: PlacedProgram,
  placement: ControlPlacement,
): Component {
  const { name } = program;
  const { suffix, cgroup, namespacePath, hostname } = placement;
  return {
    id: `${name}${suffix}`,
    command: [
      ...(program.command?.(layout.programs) ?? layout.programs.app(name)),
      ...(program.args?.(layout, placement) ?? []),
      ...flags(program.flags?.(layout, placement) ?? {}),
      ...settingArgs(layout, name, name === "api-server" ? suffix : ""),
    ],
    cgroup,
    ...(namespacePath === undefined ? {} : { namespacePath }),
    ...(hostname === undefined ? {} : { hostname }),
    logFile: join(layout.paths.logs, logFileName(`${name}${suffix}`)),
  };
}

/** Returns the process of a program on the host. */
export function hostComponent(layout: ClusterLayout, program: HostProgram): Component {
  const { spec, paths, programs } = layout;
  return {
    id: program.name,
    command: [
      ...programs.app(program.name),
      ...flags({ ...serviceFlags(layout, program), ...program.flags(layout) }),
      ...settingArgs(layout, program.name),
    ],
    cgroup: controlCgroup(spec),
    logFile: join(paths.logs, logFileName(program.name)),
  };
}

/** Returns the process of a program on a node; it ends with the node. */
export function nodeComponent(layout: ClusterLayout, program: NodeProgram, node: NodeSpec): Component {
  const { spec, paths, programs } = layout;
  const id = nodeProcessId(program, node);
  return {
    id,
    command: [
      ...programs.app(program.name),
      ...flags(program.flags(layout, node)),
      ...settingArgs(layout, program.name),
      ...(program.appends?.(node) ?? []).map((argument) => `--${argument}`),
    ],
    cgroup: nodeSystemCgroup(spec, node),
    ...(program.inNodeNetwork ? { namespacePath: nodeAddresses(spec, node).namespacePath } : {}),
    logFile: join(paths.logs, logFileName(id)),
  };
}

/** "kubelet@node-1". */
export function nodeProcessId({ name }: Pick<NodeProgram, "name">, node: NodeSpec): string {
  return `${name}@${node.name}`;
}

/** Returns the flags of a program with an identity of its own. */
function serviceFlags({ spec, paths }: ClusterLayout, { name, port }: HostProgram): Flags {
  if (port === undefined) return {};
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
