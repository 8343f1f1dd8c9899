import type { SimulatedNode } from "../cluster.ts";
import { type Fault, type Undo, type World } from "./fault.ts";
import { holdDown, nodeOf } from "./targets.ts";

/** What happens to whole machines. */
export const nodeFaults: readonly Fault[] = [
  {
    name: "kill-node",
    catalogue: ["F28"],
    sentence: "The power of a node goes: kubelet, runtime and every container end at once; it returns with its disk.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && killNode(world, node);
    },
  },
  {
    name: "cut-node",
    catalogue: ["F28"],
    sentence: "A node is cut off from everybody, both ways; what runs on it runs on.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && cutNode(world, node);
    },
  },
];

async function killNode(world: World, node: SimulatedNode): Promise<Undo> {
  const letKubeletGo = await holdDown(world, node.kubelet);
  const letGo = await world.holds.hold(node, { down: () => node.powerOff(), up: () => node.powerOn() });
  return () => {
    letGo();
    letKubeletGo();
  };
}

function cutNode(world: World, node: SimulatedNode): Promise<Undo> {
  return world.holds.hold(node.wire, { down: () => node.partition(), up: () => node.heal() });
}
