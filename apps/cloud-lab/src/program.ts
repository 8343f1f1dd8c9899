import { availableParallelism, totalmem } from "node:os";
import { systemClock, systemRandom } from "@kintsugi/clock";
import type { GroupRecord } from "@kintsugi/cloud";
import { defineService, flag, FlagError, ownFileKind, runCommand } from "@kintsugi/daemon";
import { cloudTable, createControlClient } from "@kintsugi/lab";
import { Balancers } from "./balancing/served-balancers.ts";
import { PacketFilter } from "./balancing/passing/packet-filter.ts";
import { addressesIn } from "./host/address-range.ts";
import { readGroups } from "./host/groups-file.ts";
import { type HostFacts, SupervisedMachines } from "./host/lab-machines.ts";
import { LabRoutes } from "./host/lab-routes.ts";
import { CloudRecordFile } from "./host/record-file.ts";
import { runLabCloud } from "./lab-cloud.ts";

/** Pods of a machine on this host share its memory. A kubelet keeps 100 MiB of the memory free. */
const keptFreeBytes = 100 * 1024 ** 2;

export const program = defineService({
  name: "cloud-lab",
  description: "Serves a cloud of this host: machines, node groups, and load balancers for TCP and UDP.",
  file: ownFileKind("cloud-lab"),
  options: {
    "cluster-name": flag.text({ help: "Name of the cluster, for the machines' IDs", fallback: "kintsugi" }),
    directory: flag.path({
      help: "Directory of the cloud's record and its injected faults",
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
    "balancer-link": flag.text({ help: "Network interface of this host that gets the addresses", fallback: "lo" }),
    "cluster-network": flag.text({
      help: "Network of the cluster's machines and pods, as a CIDR",
      fallback: "10.64.0.0/16",
    }),
    "groups-file": flag.path({
      help: "File with further node groups of the cloud in addition to `pool`, JSON",
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
      help: "Interval at which machines are compared with the desired sizes of node groups",
      fallback: 1_000,
    }),
  },
  read: (given) => ({
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
  }),
  async start(config, log) {
    const [clock, random] = [systemClock, systemRandom];
    const { link, checkIntervalMs, socket, addresses, clusterName, settleIntervalMs } = config;
    const facts: HostFacts = { cpuMillicores: availableParallelism() * 1000, memoryBytes: totalmem() };
    const filter = new PacketFilter({ log }, { table: cloudTable(clusterName), clusterNetwork: config.clusterNetwork });
    const balancers = new Balancers(
      {
        clock,
        log,
        claim: async (address) => void (await runCommand("ip", ["addr", "replace", `${address}/32`, "dev", link])),
        pass: (passed) => filter.apply(passed),
        release: async (address) => void (await runCommand("ip", ["addr", "del", `${address}/32`, "dev", link])),
      },
      { checkIntervalMs, checkTimeoutMs: Math.min(1_000, checkIntervalMs) },
    );
    const deps = {
      clock,
      random,
      log,
      host: new SupervisedMachines({ control: createControlClient(config.supervisorSocket) }, facts),
      file: new CloudRecordFile(config.directory),
      balancers,
      routes: new LabRoutes({ log }, { link }),
    };
    const described =
      config.groupsFile === undefined
        ? []
        : await readGroups(config.groupsFile, { ...facts, memoryBytes: facts.memoryBytes - keptFreeBytes });
    const firstGroups = [...poolOf(config, facts), ...described];
    const options = { clusterName, socket, addresses, settleIntervalMs, firstGroups };
    return [
      { name: "cloud", run: (signal) => runLabCloud(deps, options, signal) },
      { name: "balancers", run: (signal) => balancers.run(signal) },
    ];
  },
});

/** The initial group of a cluster, empty until pods need its machines. */
function poolOf(
  { pool }: { pool: { max: number; cpuMillicores: number | undefined } },
  facts: HostFacts,
): GroupRecord[] {
  if (pool.max === 0) return [];
  const cpuMillicores = pool.cpuMillicores ?? facts.cpuMillicores;
  return [
    {
      name: "pool",
      min: 0,
      max: pool.max,
      priority: 0,
      machines: [],
      template: {
        instanceType: `lab-${cpuMillicores / 1000}`,
        zone: "lab-a",
        cpuMillicores,
        memoryBytes: facts.memoryBytes - keptFreeBytes,
        podsMax: 110,
        labels: {},
        taints: [],
      },
    },
  ];
}

/** @throws FlagError */
function addressesOf(range: string): readonly string[] {
  try {
    return addressesIn(range);
  } catch (error) {
    throw new FlagError(`--balancer-addresses: ${(error as Error).message}`);
  }
}
