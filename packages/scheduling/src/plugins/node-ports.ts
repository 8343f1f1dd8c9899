import { hostPortsConflict } from "@kintsugi/api";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Plugin } from "../framework/plugin.ts";
import { doesNotFitNow, fits } from "../framework/verdict.ts";

const taken = doesNotFitNow({ code: "HostPorts" });

/** Two pods of a node cannot use the same host port. */
export const nodePorts: Plugin = {
  name: "NodePorts",
  filterReads: "node and its pods",
  filter: ({ hostPorts }, snapshot) => {
    if (hostPorts.length === 0) return "anything";
    const conflicts = (pod: PodInfo): boolean =>
      hostPorts.some((wanted) => pod.hostPorts.some((taken) => hostPortsConflict(wanted, taken)));
    const hasConflict = (node: NodeInfo): boolean => {
      for (const pod of node.pods()) if (conflicts(pod)) return true;
      return false;
    };
    return {
      check: (node) => (hasConflict(node) ? taken : fits),
      checkWith: (node, others) => (others.some(conflicts) || hasConflict(node) ? taken : fits),
      rejectRows: (_, rejected) => {
        // The same port at another address of the node does not conflict, so the pods' ports are
        // compared.
        for (const port of hostPorts)
          for (const [node] of snapshot.podsWithPort(port)) if (hasConflict(node)) rejected.add(node.row);
      },
    };
  },
  mayHelp: ({ hostPorts }, event) => {
    if (event.is === "NodeAdd") return true;
    if (event.is !== "AssignedPodDelete") return false;
    return hostPorts.some((wanted) => event.pod.hostPorts.some((freed) => hostPortsConflict(wanted, freed)));
  },
};
