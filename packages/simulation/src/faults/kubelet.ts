import { type Fault } from "./fault.ts";
import { holdDown, nodeOf } from "./targets.ts";

/** What happens to a node's kubelet while its containers run on. */
export const kubeletFaults: readonly Fault[] = [
  {
    name: "kill-kubelet",
    catalogue: ["F26"],
    sentence: "A kubelet dies, at whatever point it was; its containers run on.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && holdDown(world, node.kubelet);
    },
  },
];
