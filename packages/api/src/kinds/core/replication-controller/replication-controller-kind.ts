import { namedTemplateWarnings } from "../../apps/workload-warnings.ts";
import { replicaCells, replicaColumns } from "../../apps/replica-table.ts";
import { workloadScale } from "../../apps/workload-scale.ts";
import { defineKind, type ScaleAccess } from "../../define-kind.ts";
import { setPodSpecDefaults } from "../pod/defaults/pod-defaults.ts";
import { replicationControllers } from "./replication-controller-type.ts";
import { ReplicationController } from "./replication-controller.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLastingTemplate, validateReplicaCounts } from "../../apps/workload-validation.ts";

export const replicationControllerKind = defineKind<ReplicationController>({
  type: replicationControllers,
  schema: ReplicationController,
  defaults: setDefaults,
  validation: { validate: validateReplicationController, status: validateReplicationControllerStatus },
  strategy: {
    status: true,
    generation: true,
    warnings: namedTemplateWarnings,
    // Upstream retains this for clients that are older than garbage collection.
    orphansDependents: true,
    prepareForCreate: (controller) => {
      controller.status = { replicas: 0 };
    },
  },
  subresources: ["scale", "status"],
  scale: scaleAccess(),
  selectable: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
  table: {
    columns: replicaColumns,
    cells: (controller, nowMs) => replicaCells(controller, { matchLabels: controller.spec?.selector ?? {} }, nowMs),
  },
});

/** Sets the defaults of pkg/apis/core/v1/defaults.go. */
function setDefaults({ metadata, spec }: ReplicationController): void {
  if (spec === undefined) return;
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  }
  spec.replicas ??= 1;
  if (spec.template?.spec !== undefined) setPodSpecDefaults(spec.template.spec);
}

/** The scale of a workload, whose selector here is a map of labels. */
function scaleAccess(): ScaleAccess<ReplicationController> {
  return {
    read: ({ metadata, spec, status }) => {
      const selector = { matchLabels: spec?.selector ?? {} };
      return workloadScale.read({ metadata, spec: { replicas: spec?.replicas, selector }, status });
    },
    write: ({ spec }, wanted) => {
      if (spec !== undefined) spec.replicas = wanted;
    },
  };
}

/** Applies the rules of ValidateReplicationControllerSpec; the selector may change. */
function validateReplicationController({ spec }: ReplicationController, faults: Faults): void {
  if (spec === undefined) return faults.required("spec.selector");
  const { selector = {}, template } = spec;
  faults.notNegative("spec.minReadySeconds", spec.minReadySeconds);
  if (Object.keys(selector).length === 0) faults.required("spec.selector");
  faults.notNegative("spec.replicas", spec.replicas);
  if (template === undefined) return faults.required("spec.template");
  validateLastingTemplate({ matchLabels: selector }, template, { owner: "ReplicationController", faults });
}

function validateReplicationControllerStatus({ status }: ReplicationController, faults: Faults): void {
  if (status !== undefined) validateReplicaCounts(status, faults);
}
