import { hostname } from "node:os";
import {
  type ConfiguredProgram,
  flag,
  FlagError,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { type InlineLimits, inlineLimitsDefault } from "./node/inline-room.ts";

/** The command line of the driver, completed. */
export interface CsiLabConfig {
  driverName: string;
  directory: string;
  /** Path of the driver's own socket. */
  socket: string;
  /** Undefined: the process is the controller. */
  node: { nodeId: string; zone: string; registrationSocket: string | undefined } | undefined;
  backing: "auto" | "image" | "directory";
  inlineLimits: InlineLimits;
  /** Programs are looked for here: PATH. */
  searchPath: string;
  logLevel: LogLevel;
}

const program: ConfiguredProgram = {
  name: "csi-lab",
  description: "Serves disks of this host as a CSI driver: files that are attached to one node at a time.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "CsiLabConfiguration" },
};

const mebibyte = 1024 ** 2;

const flags = {
  mode: flag.choice(["controller", "node"], {
    help: "Part of the driver that this process is",
    fallback: "node",
  }),
  "driver-name": flag.text({ help: "Name of the driver", fallback: "lab.csi.kintsugi.dev" }),
  directory: flag.path({
    help: "Directory with the disks, which all processes of the driver share",
    required: true,
    example: "/var/lib/kintsugi-csi",
  }),
  socket: flag.path({
    help: "Path of the socket to serve CSI on",
    required: true,
    example: "/var/lib/kubelet/plugins/lab.csi.kintsugi.dev/csi.sock",
  }),
  "registration-socket": flag.path({
    help: "Path of the socket at which the kubelet finds the driver",
    example: "/var/lib/kubelet/plugins_registry/lab.csi.kintsugi.dev-reg.sock",
  }),
  "node-name": flag.text({ help: "Name of the node", fallback: hostname() }),
  zone: flag.text({ help: "Zone of the node; disks can be attached in their own zone only", fallback: "lab" }),
  backing: flag.choice(["auto", "image", "directory"], {
    help: "Form of new disks: images with ext4, directories without a limit, or images where loop devices work",
    fallback: "auto",
  }),
  "inline-volume-mib-max": flag.count({
    min: 8,
    help: "Largest size of a volume that a pod describes itself, in MiB; no quota counts such volumes",
    fallback: inlineLimitsDefault.volumeBytesMax / mebibyte,
  }),
  "inline-total-mib-max": flag.count({
    min: 8,
    help: "Size of all volumes together that pods describe themselves, in MiB; one namespace has half of it at most",
    fallback: inlineLimitsDefault.totalBytesMax / mebibyte,
  }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string =>
  sampleFile(program, { ...flags, "node-name": { ...flags["node-name"], fallback: "node-1" } });

/** Node names are parts of file names: a DNS subdomain, as the API has them. */
const nodeName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): CsiLabConfig {
  const given = readFlags(program, flags, argv);
  const nodeId = given["node-name"];
  if (given.mode === "node" && !nodeName.test(nodeId))
    throw new FlagError(`--node-name must be a node's name, as node-1, not ${JSON.stringify(nodeId)}.`);
  return {
    driverName: given["driver-name"],
    directory: given.directory,
    socket: given.socket,
    node:
      given.mode === "node"
        ? { nodeId, zone: given.zone, registrationSocket: given["registration-socket"] }
        : undefined,
    backing: given.backing,
    inlineLimits: {
      volumeBytesMax: given["inline-volume-mib-max"] * mebibyte,
      totalBytesMax: given["inline-total-mib-max"] * mebibyte,
    },
    searchPath: process.env["PATH"] ?? "",
    logLevel: given["log-level"],
  };
}
