import { namedTemplateWarnings } from "../workload-warnings.ts";
import { setPodSpecDefaults } from "../../core/pod/defaults/pod-defaults.ts";
import { defineKind } from "../../define-kind.ts";
import { replicaCells, replicaColumns } from "../replica-table.ts";
import { workloadScale } from "../workload-scale.ts";
import { replicaSets } from "./replica-set-type.ts";
import { validateReplicaSet, validateReplicaSetStatus, validateReplicaSetUpdate } from "./replica-set-validation.ts";
import { ReplicaSet } from "./replica-set.ts";

export const replicaSetKind = defineKind<ReplicaSet>({
  type: replicaSets,
  schema: ReplicaSet,
  defaults: ({ spec }) => {
    if (spec === undefined) return;
    spec.replicas ??= 1;
    if (spec.template?.spec !== undefined) setPodSpecDefaults(spec.template.spec);
  },
  validation: {
    validate: validateReplicaSet,
    update: validateReplicaSetUpdate,
    status: validateReplicaSetStatus,
  },
  strategy: {
    status: true,
    generation: true,
    warnings: namedTemplateWarnings,
    prepareForCreate: (replicaSet) => {
      replicaSet.status = { replicas: 0 };
    },
  },
  subresources: ["scale", "status"],
  scale: workloadScale,
  selectable: { "status.replicas": (replicaSet) => String(replicaSet.status?.replicas ?? 0) },
  table: {
    columns: replicaColumns,
    cells: (replicaSet, nowMs) => replicaCells(replicaSet, replicaSet.spec?.selector, nowMs),
  },
});
