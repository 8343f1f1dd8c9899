import type { ResourceType } from "../../../meta/resource-type.ts";
import type { PodDisruptionBudget } from "./pod-disruption-budget.ts";

export const podDisruptionBudgets: ResourceType<PodDisruptionBudget> = {
  group: "policy",
  version: "v1",
  resource: "poddisruptionbudgets",
  singular: "poddisruptionbudget",
  kind: "PodDisruptionBudget",
  namespaced: true,
  shortNames: ["pdb"],
  categories: [],
};
