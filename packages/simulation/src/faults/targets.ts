import type { FaultableCluster, SimulatedNode } from "../cluster.ts";
import type { PlannedFault } from "../scenario/scenario.ts";
import type { VirtualProcess } from "../process/virtual-process.ts";
import { pick, type Undo, type World } from "./fault.ts";

export const serviceNames = ["api-server", "scheduler", "controller-manager"] as const;
type ServiceName = (typeof serviceNames)[number];

/** The named node, or one of the existing nodes. */
export function nodeOf({ cluster, random }: World, { target }: PlannedFault): SimulatedNode | undefined {
  return target === undefined ? pick(random, cluster.nodes) : cluster.nodes.find(({ name }) => name === target);
}

/** The nodes of the named zone; all nodes without a name. */
export function nodesOfZone({ cluster, scenario }: World, { target }: PlannedFault): SimulatedNode[] {
  const names = scenario.nodes.filter(({ zone }) => target === undefined || (zone ?? "") === target);
  return cluster.nodes.filter(({ name }) => names.some((node) => node.name === name));
}

export function serviceOf({ cluster, random }: World, { target }: PlannedFault): VirtualProcess | undefined {
  const name = target ?? pick(random, serviceNames);
  return serviceNames.some((each) => each === name) ? serviceProcess(cluster, name as ServiceName) : undefined;
}

/** A service, or a node and its kubelet, whose wire and connections have the same name. */
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

/** `processOf` without the API server, because the API server is the callee. */
export function callerOf(world: World, planned: PlannedFault): NamedProcess | undefined {
  const found = processOf(world, planned);
  return found?.name === "api-server" ? undefined : found;
}

function serviceProcess(cluster: FaultableCluster, name: ServiceName): VirtualProcess {
  if (name === "api-server") return cluster.server.process;
  return name === "scheduler" ? cluster.scheduler : cluster.controllerManager;
}

/**
 * Prevents a process from running. Several faults may do so at the same time, and end in any order.
 */
export function holdDown({ holds }: World, process: VirtualProcess): Promise<Undo> {
  return holds.hold(process, { down: () => process.kill(), up: () => process.start() });
}

/** Kills a process at the point that was just reached, and starts it again. */
export function killNow(world: World, process: VirtualProcess): void {
  process.kill();
  void holdDown(world, process).then((letGo) => world.cluster.clock.after(restartMs, () => void letGo()));
}

/** Time after which a supervisor restarts a dead process. */
const restartMs = 1000;
