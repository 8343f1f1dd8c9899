import {
  type ConfiguredProgram,
  flag,
  FlagError,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { addressesIn } from "./host/address-range.ts";

/** The command line of the cloud, completed. */
export interface CloudLabConfig {
  clusterName: string;
  directory: string;
  socket: string;
  supervisorSocket: string;
  /** The addresses of load balancers. */
  addresses: readonly string[];
  /** The link of this host that gets them. */
  link: string;
  /** The addresses of the cluster's machines and pods. */
  clusterNetwork: string;
  /** The file with the node groups; undefined: there is the group `pool`. */
  groupsFile: string | undefined;
  pool: { max: number; cpuMillicores: number | undefined };
  checkIntervalMs: number;
  settleIntervalMs: number;
  logLevel: LogLevel;
}

const program: ConfiguredProgram = {
  name: "cloud-lab",
  description: "Serves a cloud of this host: machines, node groups, and load balancers for TCP and UDP.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "CloudLabConfiguration" },
};

const flags = {
  "cluster-name": flag.text({ help: "Name of the cluster, for the machines' IDs", fallback: "kintsugi" }),
  directory: flag.path({
    help: "Directory of the cloud's record and its misfortunes",
    required: true,
    example: "/var/lib/kintsugi-cloud",
  }),
  socket: flag.path({
    help: "Path of the socket to serve the cloud on",
    required: true,
    example: "/run/kintsugi/cloud.sock",
  }),
  "supervisor-socket": flag.path({
    help: "Path of the socket of the supervisor that makes machines",
    required: true,
    example: "/run/kintsugi/kintsugi/supervisor.sock",
  }),
  "balancer-addresses": flag.text({
    help: "Addresses of load balancers, the first and the last",
    fallback: "10.64.0.220-10.64.0.249",
  }),
  "balancer-link": flag.text({ help: "Link of this host that gets the addresses", fallback: "lo" }),
  "cluster-network": flag.text({
    help: "Network of the cluster's machines and pods, as a CIDR",
    fallback: "10.64.0.0/16",
  }),
  "groups-file": flag.path({
    help: "File with the node groups that the cloud has beside `pool`, JSON",
    example: "/var/lib/kintsugi/cloud-groups.json",
  }),
  "pool-max": flag.count({ min: 0, max: 100, help: "Largest number of machines of the group `pool`", fallback: 5 }),
  "pool-cpu": flag.number({
    help: "Processors of a machine of the group `pool`, in thousandths (default: all of this host's)",
    fallback: 0,
  }),
  "health-check-interval": flag.durationMs({
    help: "Interval at which load balancers check their targets",
    fallback: 1_000,
  }),
  "settle-interval": flag.durationMs({
    help: "Interval at which machines are compared with the wishes of node groups",
    fallback: 1_000,
  }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): CloudLabConfig {
  const given = readFlags(program, flags, argv);
  return {
    clusterName: given["cluster-name"],
    directory: given.directory,
    socket: given.socket,
    supervisorSocket: given["supervisor-socket"],
    addresses: addressesOf(given["balancer-addresses"]),
    link: given["balancer-link"],
    clusterNetwork: given["cluster-network"],
    groupsFile: given["groups-file"],
    pool: { max: given["pool-max"], cpuMillicores: given["pool-cpu"] > 0 ? given["pool-cpu"] : undefined },
    checkIntervalMs: given["health-check-interval"],
    settleIntervalMs: given["settle-interval"],
    logLevel: given["log-level"],
  };
}

/** @throws FlagError */
function addressesOf(range: string): readonly string[] {
  try {
    return addressesIn(range);
  } catch (error) {
    throw new FlagError(`--balancer-addresses: ${(error as Error).message}`);
  }
}
