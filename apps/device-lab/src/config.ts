import { hostname } from "node:os";
import { canonicalQuantity, isQuantity } from "@kintsugi/api";
import {
  type ConfiguredProgram,
  flag,
  FlagError,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { devicesMax, type LabDevices } from "./plan-slices.ts";

/** The command line of the driver, completed. */
export interface DeviceLabConfig extends LabDevices {
  kubeconfig: string;
  /** The directory with the devices' files and the driver's records. */
  directory: string;
  /** The directory of the driver's CDI specifications. */
  cdiDirectory: string;
  /** Path of the driver's own socket. */
  socket: string;
  registrationSocket: string;
  logLevel: LogLevel;
}

const program: ConfiguredProgram = {
  name: "device-lab",
  description: "Offers simulated devices of a node by Dynamic Resource Allocation: each is a file of this host.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "DeviceLabConfiguration" },
};

const flags = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the rights of the node",
    required: true,
    example: "/etc/kintsugi/kubelet.kubeconfig",
  }),
  "driver-name": flag.text({ help: "Name of the driver", fallback: "device.lab.kintsugi.dev" }),
  "node-name": flag.text({ help: "Name of the node", fallback: hostname() }),
  devices: flag.count({ min: 0, help: `Number of devices, ${devicesMax} at most`, fallback: 2 }),
  model: flag.text({ help: "Attribute model of each device", fallback: "lab-1" }),
  memory: flag.text({ help: "Capacity memory of each device", fallback: "1Gi" }),
  directory: flag.path({
    help: "Directory with a file for each device, and the driver's records",
    required: true,
    example: "/var/lib/kintsugi-devices",
  }),
  "cdi-dir": flag.path({ help: "Directory of CDI specifications", fallback: "/var/run/cdi" }),
  socket: flag.path({
    help: "Path of the socket to serve the kubelet on",
    required: true,
    example: "/var/lib/kubelet/plugins/device.lab.kintsugi.dev/dra.sock",
  }),
  "registration-socket": flag.path({
    help: "Path of the socket at which the kubelet finds the driver",
    required: true,
    example: "/var/lib/kubelet/plugins_registry/device.lab.kintsugi.dev-reg.sock",
  }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string =>
  sampleFile(program, { ...flags, "node-name": { ...flags["node-name"], fallback: "node-1" } });

/** Names of nodes and drivers are parts of file names: DNS subdomains, as the API has them. */
const subdomain = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): DeviceLabConfig {
  const given = readFlags(program, flags, argv);
  for (const name of ["node-name", "driver-name"] as const)
    if (!subdomain.test(given[name]))
      throw new FlagError(`--${name} must be a name such as node-1, not ${JSON.stringify(given[name])}.`);
  if (given.devices > devicesMax) throw new FlagError(`--devices must be at most ${devicesMax}, not ${given.devices}.`);
  if (!isQuantity(given.memory))
    throw new FlagError(`--memory must be a quantity such as 1Gi, not ${JSON.stringify(given.memory)}.`);
  return {
    kubeconfig: given.kubeconfig,
    driverName: given["driver-name"],
    nodeName: given["node-name"],
    count: given.devices,
    model: given.model,
    // The form is the one in which the API stores it, so that a slice is the same after it was
    // written.
    memory: canonicalQuantity(given.memory),
    directory: given.directory,
    cdiDirectory: given["cdi-dir"],
    socket: given.socket,
    registrationSocket: given["registration-socket"],
    logLevel: given["log-level"],
  };
}
