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
import { claimSpecWarnings } from "../../core/pod/warnings/volume-warnings.ts";
import { isOldSpec, templateWarnings } from "../workload-warnings.ts";

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

const unlimited =
  "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";

/** Returns upstream's warnings about a StatefulSet, its template and its claims. */
function statefulSetWarnings(set: StatefulSet, before: StatefulSet | undefined): string[] {
  const claims = isOldSpec(set, before) ? [] : (set.spec?.volumeClaimTemplates ?? []);
  // Upstream's path of an update ends in ".Spec".
  const end = before === undefined ? "" : ".Spec";
  return [
    ...templateWarnings(set, before),
    ...claims.flatMap(({ spec }, i) => claimSpecWarnings(spec, `spec.volumeClaimTemplates[${i}]${end}`)),
    ...((set.spec?.revisionHistoryLimit ?? 0) < 0 ? [unlimited] : []),
  ];
}
