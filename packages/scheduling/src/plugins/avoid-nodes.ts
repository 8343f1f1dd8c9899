import { avoidedNodes } from "@kintsugi/api";
import { type Plugin, scoreMax } from "../framework/plugin.ts";

/**
 * Ours: a pod that replaces one which no restart has helped (`kintsugi.dev/avoid-nodes`) goes
 * elsewhere, if it fits anywhere else. It is a preference and not a filter: where it failed is
 * better than nowhere.
 */
export const avoidNodes: Plugin = {
  name: "AvoidNodes",
  score: {
    // More than all others together can give: an avoided node is last.
    weight: 100,
    prepare: ({ pod }, _, feasible) => {
      const avoided = new Set(avoidedNodes(pod));
      if (avoided.size === 0 || !feasible.some(({ name }) => avoided.has(name))) return "indifferent";
      return { score: ({ name }) => (avoided.has(name) ? 0 : scoreMax) };
    },
  },
};
