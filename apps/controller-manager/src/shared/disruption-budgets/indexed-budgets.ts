import { podDisruptionBudgets } from "@kintsugi/api";
import { reading } from "@kintsugi/controller";

/** Budgets by their namespace: those of other namespaces have no say about a pod. */
export const indexedBudgets = reading(podDisruptionBudgets, {
  namespace: ({ metadata }) => [metadata.namespace ?? ""],
});
