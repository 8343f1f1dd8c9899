import { PodDisruptionBudget, podDisruptionBudgets } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const podDisruptionBudgetResource = defineResource<PodDisruptionBudget>({
  type: podDisruptionBudgets,
  schema: PodDisruptionBudget,
  subresources: ["status"],
  rules: { status: true, generation: true, conditionalUpdateOnly: true },
});
