import type { SimulatedCluster, SimulatedNode } from "../cluster.ts";
import type { PlannedFault } from "../scenario/scenario.ts";
import type { VirtualProcess } from "../process/virtual-process.ts";
import { pick, type World } from "./fault.ts";

export const serviceNames = ["api-server", "scheduler", "controller-manager"] as const;
type ServiceName = (typeof serviceNames)[number];

/** The node that is meant, or one of those there are. */
export function nodeOf({ cluster, random }: World, { target }: PlannedFault): SimulatedNode | undefined {
  return target === undefined ? pick(random, cluster.nodes) : cluster.nodes.find(({ name }) => name === target);
}

export function serviceOf({ cluster, random }: World, { target }: PlannedFault): VirtualProcess | undefined {
  const name = target ?? pick(random, serviceNames);
  return serviceNames.some((each) => each === name) ? serviceProcess(cluster, name as ServiceName) : undefined;
}

function serviceProcess(cluster: SimulatedCluster, name: ServiceName): VirtualProcess {
  if (name === "api-server") return cluster.server.process;
  return name === "scheduler" ? cluster.scheduler : cluster.controllerManager;
}

/** Keeps a process from running, however many faults want that and in whatever order they end. */
export function holdDown({ holds }: World, process: VirtualProcess): Promise<() => void> {
  return holds.hold(process, { down: () => process.kill(), up: () => process.start() });
}
