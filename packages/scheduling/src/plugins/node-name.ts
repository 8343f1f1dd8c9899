import type { Plugin } from "../framework/plugin.ts";
import { fits, neverFits } from "../framework/verdict.ts";

/** A pod that names its node is not placed on another node. */
export const nodeName: Plugin = {
  name: "NodeName",
  filterReads: "node",
  filter: ({ pod }) => {
    const wanted = pod.spec?.nodeName ?? "";
    if (wanted === "") return "anything";
    return {
      check: (node) => (node.name === wanted ? fits : neverFits({ code: "NodeName" })),
    };
  },
  mayHelp: ({ pod }, event) => event.is === "NodeAdd" && event.node.metadata.name === pod.spec?.nodeName,
};
