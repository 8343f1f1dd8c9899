import { join } from "node:path";
import { controlCgroup, logFileName, nodeSystemCgroup } from "../cluster/cluster-paths.ts";
import type { ClusterSpec, NodeSpec } from "../cluster/cluster-spec.ts";
import type { Component } from "../cluster/component.ts";
import { nodeAddresses } from "../network/addresses.ts";
import type { Flags, ProgramName } from "../settings/setting.ts";
import type { ControlSeat } from "./control-seat.ts";
import { type ClusterLayout, flags, type Programs, settingArgs } from "./components.ts";

// The programs of a cluster, as values. A program starts when the event of `after` has come:
//
//   in a seat     seat ─────────── the machine of the control plane is there
//                 stores ───────── NATS and, on servers, etcd run
//                 API ──────────── the API server has had its time to start
//   on the host   control plane ── the API server has had its time to start
//                 nodes ────────── every node is up, and its kubelet had the processor to itself
//   on a node     images ───────── its containerd runs and has the standard images
//                 kubelet ──────── its kubelet serves, or has had its time
//                 nodes ────────── as on the host

/** A program of a control plane, which runs in its seat: the host, or a server of its own. */
export interface SeatProgram {
  readonly name: ProgramName | "nats";
  readonly command: keyof Programs;
  readonly after: "seat" | "stores" | "API";
  /** Returns arguments before all flags. */
  args?(layout: ClusterLayout, seat: ControlSeat): readonly string[];
  flags?(layout: ClusterLayout, seat: ControlSeat): Flags;
}

/** A program that runs once, on the host itself. */
export interface HostProgram {
  /** The name of its process, log and identity. */
  readonly name: ProgramName | "csi-lab";
  readonly command: keyof Programs;
  readonly after: "control plane" | "nodes";
  readonly when: (spec: ClusterSpec) => boolean;
  /** Returns its flags beside those that settings give. */
  flags(layout: ClusterLayout): Flags;
}

/** A program that runs on each node. */
export interface NodeProgram {
  readonly name: ProgramName | "csi-lab";
  readonly command: keyof Programs;
  readonly after: "images" | "kubelet" | "nodes";
  /** The program runs in the host's network where this is false. */
  readonly inNodeNetwork: boolean;
  readonly when: (spec: ClusterSpec) => boolean;
  flags(layout: ClusterLayout, node: NodeSpec): Flags;
  /** Returns arguments that follow all others, "name=value". */
  appends?(node: NodeSpec): readonly string[];
}

/** Returns the process of a program in a seat. */
export function seatComponent(layout: ClusterLayout, program: SeatProgram, seat: ControlSeat): Component {
  const { name } = program;
  const { suffix, cgroup, namespacePath, hostname } = seat;
  return {
    id: `${name}${suffix}`,
    command: [
      ...layout.programs[program.command],
      ...(program.args?.(layout, seat) ?? []),
      ...flags(program.flags?.(layout, seat) ?? {}),
      ...ofSettings(layout, name, name === "api-server" ? suffix : ""),
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
    command: [...programs[program.command], ...flags(program.flags(layout)), ...ofSettings(layout, program.name)],
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
      ...programs[program.command],
      ...flags(program.flags(layout, node)),
      ...ofSettings(layout, program.name),
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

function ofSettings(layout: ClusterLayout, name: ProgramName | "csi-lab" | "nats", suffix = ""): string[] {
  return name === "csi-lab" || name === "nats" ? [] : settingArgs(layout, name, suffix);
}
