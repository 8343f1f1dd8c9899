import type { FaultableCluster, SimulatedNode } from "../cluster.ts";
import type { PlannedFault } from "../scenario/scenario.ts";
import type { VirtualProcess } from "../process/virtual-process.ts";
import { pick, type Undo, type World } from "./fault.ts";

export const serviceNames = ["api-server", "scheduler", "controller-manager"] as const;
type ServiceName = (typeof serviceNames)[number];

/** The node that is meant, or one of those there are. */
export function nodeOf({ cluster, random }: World, { target }: PlannedFault): SimulatedNode | undefined {
  return target === undefined ? pick(random, cluster.nodes) : cluster.nodes.find(({ name }) => name === target);
}

/** The nodes of the zone that is meant; all nodes where none is. */
export function nodesOfZone({ cluster, scenario }: World, { target }: PlannedFault): SimulatedNode[] {
  const names = scenario.nodes.filter(({ zone }) => target === undefined || (zone ?? "") === target);
  return cluster.nodes.filter(({ name }) => names.some((node) => node.name === name));
}

export function serviceOf({ cluster, random }: World, { target }: PlannedFault): VirtualProcess | undefined {
  const name = target ?? pick(random, serviceNames);
  return serviceNames.some((each) => each === name) ? serviceProcess(cluster, name as ServiceName) : undefined;
}

/**
 * A service, or a node and its kubelet: by that name its wire and its connections are known too.
 */
export interface NamedProcess {
  name: string;
  process: VirtualProcess;
}

export function processOf(world: World, planned: PlannedFault): NamedProcess | undefined {
  const { cluster, random } = world;
  const name = planned.target ?? pick(random, [...serviceNames, ...cluster.nodes.map((node) => node.name)]) ?? "";
  const given = { ...planned, target: name };
  const process = serviceOf(world, given) ?? nodeOf(world, given)?.kubelet;
  return process && { name, process };
}

/** The same, but not the API server: it is the one that is called. */
export function callerOf(world: World, planned: PlannedFault): NamedProcess | undefined {
  const found = processOf(world, planned);
  return found?.name === "api-server" ? undefined : found;
}

function serviceProcess(cluster: FaultableCluster, name: ServiceName): VirtualProcess {
  if (name === "api-server") return cluster.server.process;
  return name === "scheduler" ? cluster.scheduler : cluster.controllerManager;
}

/** Keeps a process from running, for any number of faults, in any order of their ends. */
export function holdDown({ holds }: World, process: VirtualProcess): Promise<Undo> {
  return holds.hold(process, { down: () => process.kill(), up: () => process.start() });
}

/** Kills a process at a point that has just come, and lets it start again. */
export function killNow(world: World, process: VirtualProcess): void {
  process.kill();
  void holdDown(world, process).then((letGo) => world.cluster.clock.after(restartMs, () => void letGo()));
}

/** A supervisor waits this long before it restarts a dead process. */
const restartMs = 1000;
