import { pods, replicaSets } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import type { Fate } from "@kintsugi/watch-stream/testing";
import type { SimulatedCluster, SimulatedNode } from "../cluster.ts";
import type { VirtualProcess } from "../process/virtual-process.ts";

/** What is being done to the cluster; gives how to undo it, where it lasts. */
type Fault = (world: World) => Promise<Undo | undefined> | Undo | undefined;
export type Undo = () => void | Promise<void>;

export interface World {
  cluster: SimulatedCluster;
  random: Random;
  /** Nodes and processes that a fault already has hold of. */
  held: Set<object>;
  replicaSet: { namespace: string; name: string; replicasMax: number };
}

/** Every fault by name, each as likely as the others. */
export const faults: Readonly<Record<string, Fault>> = {
  "container exits": async (world) => {
    const { random } = world;
    const node = pick(random, freeNodes(world));
    const running = node ? await node.runtime.listContainers({ state: "running" }) : [];
    const victim = pick(random, running);
    if (victim) node?.runtime.exitContainer(victim.id, { exitCode: random.integer(3) });
    return victim && (() => {});
  },
  "sandbox dies": async (world) => {
    const { random } = world;
    const node = pick(random, freeNodes(world));
    const victim = pick(random, node ? await node.runtime.listPodSandboxes({ ready: true }) : []);
    if (victim) node?.runtime.killSandbox(victim.id);
    return victim && (() => {});
  },
  "node killed": async (world) => {
    const node = hold(world, freeNodes(world));
    await node?.kill();
    return node && release(world, node, () => node.return());
  },
  "node cut off": (world) => {
    const node = hold(world, freeNodes(world));
    node?.partition();
    return node && release(world, node, () => node.heal());
  },
  "kubelet killed": (world) => {
    const node = hold(world, freeNodes(world));
    node?.kubelet.kill();
    return node && release(world, node, () => node.kubelet.start());
  },
  "runtime away": (world) => {
    const node = hold(world, freeNodes(world));
    node?.runtime.setAvailable(false);
    return node && release(world, node, () => node.runtime.setAvailable(true));
  },
  "scheduler killed": (world) => killProcess(world, world.cluster.scheduler),
  "controller-manager killed": (world) => killProcess(world, world.cluster.controllerManager),
  "api-server killed": (world) => killProcess(world, world.cluster.server.process),
  "bus loses, doubles and delays": (world) => {
    const { bus } = world.cluster;
    if (!bus || world.held.has(bus)) return undefined;
    world.held.add(bus);
    bus.setFate(() => badFate(world.random));
    return release(world, bus, () => world.cluster.mendBus());
  },
  "pod deleted": async ({ cluster, random, replicaSet: { namespace } }) => {
    const { items } = await cluster.client.list(pods, { namespace });
    const victim = pick(random, items);
    if (victim?.metadata.name === undefined) return undefined;
    await cluster.client.delete(pods, { namespace, name: victim.metadata.name });
    return () => {};
  },
  scaled: async ({ cluster, random, replicaSet: { namespace, name, replicasMax } }) => {
    const replicas = 1 + random.integer(replicasMax);
    await cluster.client.patch(replicaSets, { namespace, name }, { type: "merge", body: { spec: { replicas } } });
    return () => {};
  },
};

/** Nothing, or something that changes the cluster's wishes, needs the api-server; then the fault is not injected. */
export async function inject(name: string, world: World): Promise<Undo | undefined> {
  const needsServer = name === "pod deleted" || name === "scaled";
  if (needsServer && !world.cluster.server.process.isRunning) return undefined;
  return faults[name]?.(world);
}

export function pick<T>(random: Random, choices: readonly T[]): T | undefined {
  return choices[random.integer(Math.max(1, choices.length))];
}

function freeNodes({ cluster, held }: World): SimulatedNode[] {
  return cluster.nodes.filter((node) => !held.has(node));
}

function hold<T extends object>({ random, held }: World, choices: readonly T[]): T | undefined {
  const chosen = pick(random, choices);
  if (chosen) held.add(chosen);
  return chosen;
}

function release(world: World, held: object, undo: () => void): Undo {
  return () => {
    world.held.delete(held);
    undo();
  };
}

function killProcess(world: World, process: VirtualProcess): Undo | undefined {
  if (world.held.has(process)) return undefined;
  world.held.add(process);
  process.kill();
  return release(world, process, () => process.start());
}

function badFate(random: Random): Fate {
  const roll = random.float();
  if (roll < 0.2) return "drop";
  if (roll < 0.4) return "duplicate";
  if (roll < 0.6) return { delayMs: random.integer(3000) };
  return "deliver";
}
