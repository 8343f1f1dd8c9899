import { hostPortsConflict } from "@kintsugi/api";
import type { Plugin } from "../framework/plugin.ts";
import { doesNotFitNow, fits } from "../framework/verdict.ts";

/** Two pods of a node cannot take the same port of it. */
export const nodePorts: Plugin = {
  name: "NodePorts",
  filter: ({ hostPorts }) => {
    if (hostPorts.length === 0) return "anything";
    return {
      check: (node) => {
        for (const pod of node.pods()) {
          if (hostPorts.some((wanted) => pod.hostPorts.some((taken) => hostPortsConflict(wanted, taken)))) {
            return doesNotFitNow("node(s) didn't have free ports for the requested pod ports");
          }
        }
        return fits;
      },
    };
  },
  mayHelp: ({ hostPorts }, event) => {
    if (event.is === "NodeAdd") return true;
    if (event.is !== "AssignedPodDelete") return false;
    return hostPorts.some((wanted) => event.pod.hostPorts.some((freed) => hostPortsConflict(wanted, freed)));
  },
};
