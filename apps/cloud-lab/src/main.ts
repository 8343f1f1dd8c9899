import { availableParallelism, totalmem } from "node:os";
import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import type { GroupRecord } from "@kintsugi/cloud";
import { type Loop, runService } from "@kintsugi/daemon";
import { cloudTable, createControlClient, runCommand } from "@kintsugi/lab";
import { Balancers } from "./balancing/balancers.ts";
import { PacketFilter } from "./balancing/passing/packet-filter.ts";
import { type CloudLabConfig, readConfig } from "./config.ts";
import { readGroups } from "./host/groups-file.ts";
import { type HostFacts, SupervisedMachines } from "./host/lab-machines.ts";
import { LabRoutes } from "./host/lab-routes.ts";
import { CloudRecordFile } from "./host/record-file.ts";
import { runLabCloud } from "./lab-cloud.ts";

/** Pods of a machine on this host share its memory; a kubelet keeps 100 MiB of it free. */
const keptFreeBytes = 100 * 1024 ** 2;

void runService({ name: "cloud-lab", configure: readConfig, start });

async function start(config: CloudLabConfig, log: Logger): Promise<readonly Loop[]> {
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
}

/** The group that a cluster starts with; empty until pods need its machines. */
function poolOf({ pool }: CloudLabConfig, facts: HostFacts): GroupRecord[] {
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
