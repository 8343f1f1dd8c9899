import type { SimulatedNode } from "../../cluster.ts";
import { allOf, type Fault, setting, type Undo, type World } from "../fault.ts";
import { cutWire } from "./network.ts";
import { holdDown, nodeOf, nodesOfZone } from "../targets.ts";

const second = 1000;

/** Faults of whole machines. */
export const nodeFaults: readonly Fault[] = [
  {
    name: "kill-node",
    catalogue: ["F28"],
    sentence: "The node loses power: kubelet, runtime and all containers end immediately. It returns with its disk.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && cutNodePower(world, node);
    },
  },
  {
    name: "cut-node",
    catalogue: ["F28"],
    sentence: "A node is disconnected in both directions. Its processes continue to run.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && cutWire(world, node.wire);
    },
  },
  {
    name: "flap-node",
    catalogue: ["F31"],
    sentence: "A node is disconnected for `everyMs` and then connected for `everyMs`, repeatedly.",
    target: "node",
    lasts: true,
    draw: (random, { profile }) => ({ everyMs: random.integer(profile === "fast" ? 8 * second : 90 * second) }),
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && flap(world, node, Math.max(second, setting(planned, "everyMs", 45 * second)));
    },
  },
  {
    name: "lose-zone",
    catalogue: ["F32"],
    sentence: "All nodes of a zone are disconnected at the same time.",
    target: "zone",
    lasts: true,
    inject: (world, planned) => cutAll(world, nodesOfZone(world, planned)),
  },
  {
    name: "lose-all-nodes",
    catalogue: ["F33"],
    sentence: "The control plane is disconnected from all nodes.",
    target: "none",
    lasts: true,
    inject: (world) => cutAll(world, world.cluster.nodes),
  },
];

/** Cuts the power of a machine; the undo restores it. */
export async function cutNodePower(world: World, node: SimulatedNode): Promise<Undo> {
  const letKubeletGo = await holdDown(world, node.kubelet);
  const letGo = await world.holds.hold(node, { down: () => node.powerOff(), up: () => node.powerOn() });
  return async () => {
    letGo();
    await letKubeletGo();
  };
}

async function cutAll(world: World, nodes: readonly SimulatedNode[]): Promise<Undo | undefined> {
  const undos = await Promise.all(nodes.map(({ wire }) => cutWire(world, wire)));
  return undos.length > 0 ? allOf(undos) : undefined;
}

async function flap(world: World, { wire }: SimulatedNode, everyMs: number): Promise<Undo> {
  const { clock } = world.cluster;
  let heal: Undo | undefined = await cutWire(world, wire);
  let isOver = false;
  const turn = async () => {
    if (isOver) return;
    const undo = heal;
    heal = undefined;
    if (undo) await undo();
    else heal = await cutWire(world, wire);
    clock.after(everyMs, () => void turn());
  };
  clock.after(everyMs, () => void turn());
  return async () => {
    isOver = true;
    await heal?.();
  };
}
