import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { priorityClasses } from "./priority-class-type.ts";
import { validatePriorityClass, validatePriorityClassUpdate } from "./priority-class-validation.ts";
import { PriorityClass } from "./priority-class.ts";

export const priorityClassKind = defineKind<PriorityClass>({
  type: priorityClasses,
  schema: PriorityClass,
  // pkg/apis/scheduling/v1/defaults.go sets the same values; upstream also writes a value of 0.
  defaults: (priorityClass) => {
    priorityClass.value ??= 0;
    priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validation: { validate: validatePriorityClass, update: validatePriorityClassUpdate },
  strategy: { generation: true },
  indexed: { globalDefault: ({ globalDefault }) => (globalDefault ? "true" : undefined) },
  table: {
    columns: [
      nameColumn,
      integerColumn("Value", "Priority of the class's pods."),
      { ...column("Global-Default", "True if the class is the default for pods without a class."), type: "boolean" },
      ageColumn,
      column("PreemptionPolicy", "Preemption of pods with a lower priority: PreemptLowerPriority or Never."),
    ],
    cells: (priorityClass, nowMs) => [
      priorityClass.metadata.name ?? "",
      priorityClass.value ?? 0,
      priorityClass.globalDefault ?? false,
      formatAge(priorityClass, nowMs),
      priorityClass.preemptionPolicy ?? "",
    ],
  },
});
