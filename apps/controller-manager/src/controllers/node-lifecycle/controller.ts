import { formatKey, keyOf, leases, nodes, pods } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { nodeControllerRole } from "@kintsugi/rules";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { NodeLifecycle } from "./node-lifecycle.ts";
import { isNodeReady } from "./node-reconciler.ts";
import { nodeLifecycleOptions } from "./options.ts";
import { PodsNotReady } from "./pods-not-ready.ts";

/** Upstream's numbers: UpdateWorkerSize and podUpdateWorkerSize. */
const nodeWorkers = 8;
const podWorkers = 4;

// A node is judged when it changes, and at these times:
//
//   its deadline          one timer per node: the reconcile returns the end of the grace period,
//                         and is called again then
//   the monitor period    all nodes that are not steady, as a safety net; the same loop probes the
//                         API server, unless a Lease has just been received
//   a change of zones     every node that waits for its eviction, when rates change or all zones
//                         go down
//
// A renewed Lease wakes no node: it only updates the time of the node's last sign of life.

/**
 * Detects silent nodes, reports them in their conditions, and taints them so that their pods are
 * evicted.
 */
export const nodeLifecycleController = defineController({
  name: "node-lifecycle",
  options: nodeLifecycleOptions,
  roles: [nodeControllerRole],
  events: "node-controller",
  reads: [nodes, indexedPods, leases],
  create(context) {
    const { informers, options } = context;
    const lifecycle = new NodeLifecycle(context);
    const podsNotReady = new PodsNotReady({ context, view: lifecycle.view });
    const podsOn = (node: string) =>
      informers
        .of(pods)
        .byIndex("node", node)
        .map((pod) => formatKey(keyOf(pod)));
    const isDown = (name: string) => {
      const node = lifecycle.view.find(name);
      return node !== undefined && !isNodeReady(node);
    };
    return {
      queue: "node_lifecycle_controller",
      workers: nodeWorkers,
      keys: nodes,
      watches: [
        on(leases, (change) => lifecycle.observeLease(change)),
        on(nodes, (change) => lifecycle.observeNode(change)),
      ],
      reconcile: (name, signal) => lifecycle.reconcile(name, signal),
      also: {
        queue: "node_lifecycle_controller_pods",
        workers: podWorkers,
        keys: pods,
        watches: [
          on(nodes, ({ type, object }) =>
            type === "deleted" || isNodeReady(object) ? [] : podsOn(object.metadata.name ?? ""),
          ),
          // The controller's memory of a pod is removed with the pod.
          on(pods, ({ type, object }) =>
            type === "deleted" || isDown(object.spec?.nodeName ?? "") ? [formatKey(keyOf(object))] : [],
          ),
        ],
        reconcile: (key) => podsNotReady.reconcile(key),
      },
      periodic: { periodMs: options.nodeMonitorPeriodMs, work: (signal) => lifecycle.monitor(signal) },
    };
  },
});
