import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { validateCountOrShare } from "../../apps/workload-validation.ts";
import { defineKind } from "../../define-kind.ts";
import { podDisruptionBudgets } from "./pod-disruption-budget-type.ts";
import { PodDisruptionBudget } from "./pod-disruption-budget.ts";

export const podDisruptionBudgetKind = defineKind<PodDisruptionBudget>({
  type: podDisruptionBudgets,
  schema: PodDisruptionBudget,
  validation: { validate: validatePodDisruptionBudget },
  strategy: { status: true, generation: true, conditionalUpdateOnly: true },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("Min Available", "Minimum number of pods that must be available."),
      column("Max Unavailable", "Maximum number of pods that may be unavailable."),
      integerColumn("Allowed Disruptions", "Number of pods that may currently be evicted."),
      ageColumn,
    ],
    cells: (budget, nowMs) => [
      budget.metadata.name ?? "",
      String(budget.spec?.minAvailable ?? "N/A"),
      String(budget.spec?.maxUnavailable ?? "N/A"),
      budget.status?.disruptionsAllowed ?? 0,
      formatAge(budget, nowMs),
    ],
  },
});

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

function validatePodDisruptionBudget({ spec = {} }: PodDisruptionBudget, faults: Faults): void {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    faults.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
  }
  validateCountOrShare(minAvailable, "spec.minAvailable", faults);
  validateCountOrShare(maxUnavailable, "spec.maxUnavailable", faults);
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    faults.notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies);
  }
  validateLabelSelector(spec.selector, "spec.selector", faults);
}
