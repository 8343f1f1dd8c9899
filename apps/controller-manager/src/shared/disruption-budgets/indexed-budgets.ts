import { podDisruptionBudgets } from "@kintsugi/api";
import { reading } from "@kintsugi/controller";

/** Budgets by namespace, because a budget applies only to pods of its own namespace. */
export const indexedBudgets = reading(podDisruptionBudgets, {
  namespace: ({ metadata }) => [metadata.namespace ?? ""],
});
