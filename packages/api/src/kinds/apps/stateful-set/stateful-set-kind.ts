import { statefulSetWarnings } from "./stateful-set-warnings.ts";
import { formatAge, formatContainers } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { checkLabel1123 } from "../../../values/names.ts";
import { defineKind } from "../../define-kind.ts";
import { containerColumns } from "../template-columns.ts";
import { workloadScale } from "../workload-scale.ts";
import { setStatefulSetDefaults } from "./stateful-set-defaults.ts";
import { statefulSets } from "./stateful-set-type.ts";
import {
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from "./stateful-set-validation.ts";
import { StatefulSet } from "./stateful-set.ts";

export const statefulSetKind = defineKind<StatefulSet>({
  type: statefulSets,
  schema: StatefulSet,
  defaults: setStatefulSetDefaults,
  validation: {
    // Pods are named after the set, and their names are host names.
    checkName: checkLabel1123,
    validate: validateStatefulSet,
    update: validateStatefulSetUpdate,
    status: validateStatefulSetStatus,
  },
  strategy: {
    status: true,
    generation: true,
    warnings: statefulSetWarnings,
    prepareForCreate: (set) => {
      set.status = { replicas: 0 };
    },
  },
  subresources: ["scale", "status"],
  scale: workloadScale,
  table: {
    columns: [
      nameColumn,
      column("Ready", "Number of ready pods and desired number of pods."),
      ageColumn,
      ...containerColumns,
    ],
    cells: (set, nowMs) => {
      const { spec, status } = set;
      return [
        set.metadata.name ?? "",
        `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
        formatAge(set, nowMs),
        ...formatContainers(spec?.template.spec?.containers ?? []),
      ];
    },
  },
});
