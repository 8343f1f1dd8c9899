import { countedNoun, hollowNodesMax } from "@kintsugi/api";
import { defineSetting, wholeNumber } from "../setting.ts";

export const hollowSetting = defineSetting({
  name: "hollow",
  help: "number of additional nodes without containers (docs/recipes/run-hollow-nodes.md)",
  flag: { flags: "--hollow <count>", parse: wholeNumber({ min: 1, max: hollowNodesMax }) },
  store: (desired): { hollowNodes?: number } => (desired === undefined ? {} : { hollowNodes: desired }),
  contradiction: ({ hollowNodes = 0 }, desired) =>
    desired === hollowNodes ? undefined : `${countedNoun(hollowNodes, "hollow node")}, not ${desired}`,
  gives: ({ hollowNodes = 0 }) => ({ hollow: { nodes: hollowNodes } }),
});
