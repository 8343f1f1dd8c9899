import { hostPortsConflict } from "@kintsugi/api";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { Plugin } from "../framework/plugin.ts";
import { doesNotFitNow, fits } from "../framework/verdict.ts";

/** Two pods of a node cannot take the same port of it. */
export const nodePorts: Plugin = {
  name: "NodePorts",
  filter: ({ hostPorts }, snapshot) => {
    if (hostPorts.length === 0) return "anything";
    const hasConflict = (node: NodeInfo): boolean => {
      for (const pod of node.pods())
        if (hostPorts.some((wanted) => pod.hostPorts.some((taken) => hostPortsConflict(wanted, taken)))) return true;
      return false;
    };
    return {
      check: (node) =>
        hasConflict(node) ? doesNotFitNow("node(s) didn't have free ports for the requested pod ports") : fits,
      rejectRows: (_, rejected) => {
        // The same port of another address of the node does no harm: the pods decide.
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
