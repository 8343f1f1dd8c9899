import { avoidedNodes } from "@kintsugi/api";
import { type Plugin, scoreMax } from "../framework/plugin.ts";

/**
 * This project's plugin: a pod that replaces a pod which restarts have not helped
 * (`kintsugi.dev/avoid-nodes`) is placed on another node, if another node fits. It is a preference
 * and not a filter, because the node where it failed is better than staying unscheduled.
 */
export const avoidNodes: Plugin = {
  name: "AvoidNodes",
  score: {
    // More than the sum of all other weights, so that an avoided node is last.
    weight: 100,
    prepare: ({ pod }, _, feasible) => {
      const avoided = new Set(avoidedNodes(pod));
      if (avoided.size === 0 || !feasible.some(({ name }) => avoided.has(name))) return "indifferent";
      return { score: ({ name }) => (avoided.has(name) ? 0 : scoreMax) };
    },
  },
};
