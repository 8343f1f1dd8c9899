import { nodes } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { nodeControllerRole } from "@kintsugi/rules";
import { findNodeIpamProblem, nodeIpamOptions, readNodeRanges } from "./options.ts";
import { NodeRangeReconciler } from "./reconciler.ts";

/**
 * A single worker, because two nodes must not get the same range. A write takes only a few
 * milliseconds.
 */
const workers = 1;

/** Allocates each node's range of pod addresses: upstream's nodeipam with the RangeAllocator. */
export const nodeIpamController = defineController({
  name: "node-ipam",
  options: nodeIpamOptions,
  roles: [nodeControllerRole],
  findOptionProblem: findNodeIpamProblem,
  events: "cidrAllocator",
  reads: [nodes],
  needs: { what: "--allocate-node-cidrs", of: ({ options }) => readNodeRanges(options) },
  create(context, ranges) {
    const reconciler = new NodeRangeReconciler(context, ranges);
    return {
      // Upstream's name of the queue.
      queue: "cidrallocator_node",
      workers,
      keys: nodes,
      watches: [on(nodes, (change) => reconciler.observe(change))],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});
