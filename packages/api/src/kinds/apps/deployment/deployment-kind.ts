import { namedTemplateWarnings } from "../workload-warnings.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import { setPodSpecDefaults } from "../../core/pod/defaults/pod-defaults.ts";
import { defineKind } from "../../define-kind.ts";
import { templateCells, templateColumns } from "../template-columns.ts";
import { workloadScale } from "../workload-scale.ts";
import { deployments } from "./deployment-type.ts";
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from "./deployment-validation.ts";
import { Deployment } from "./deployment.ts";

export const deploymentKind = defineKind<Deployment>({
  type: deployments,
  schema: Deployment,
  defaults: setDeploymentDefaults,
  validation: {
    validate: validateDeployment,
    update: validateDeploymentUpdate,
    status: validateDeploymentStatus,
  },
  strategy: {
    status: true,
    generation: true,
    warnings: namedTemplateWarnings,
    resetFields: { status: { "f:metadata": { "f:labels": {} } } },
    prepareForCreate: (deployment) => {
      deployment.status = {};
    },
    prepareForUpdate: (deployment, before, { subresource }) => {
      // A write of the status never changes the labels, as in upstream.
      if (subresource === "status") keepLabels(deployment, before);
    },
  },
  subresources: ["scale", "status"],
  scale: workloadScale,
  table: {
    columns: [
      nameColumn,
      column("Ready", "Number of ready pods and desired number of pods."),
      integerColumn("Up-to-date", "Number of pods with the current template."),
      integerColumn("Available", "Number of pods that have been ready for minReadySeconds."),
      ageColumn,
      ...templateColumns,
    ],
    cells: (deployment, nowMs) => {
      const { spec, status } = deployment;
      return [
        deployment.metadata.name ?? "",
        `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
        status?.updatedReplicas ?? 0,
        status?.availableReplicas ?? 0,
        formatAge(deployment, nowMs),
        ...templateCells(spec),
      ];
    },
  },
});

/** The defaults follow pkg/apis/apps/v1/defaults.go. */
function setDeploymentDefaults({ spec }: Deployment): void {
  if (spec === undefined) return;
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
    spec.strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  if (spec.template.spec !== undefined) setPodSpecDefaults(spec.template.spec);
}

function keepLabels({ metadata }: Deployment, before: Deployment): void {
  if (before.metadata.labels === undefined) delete metadata.labels;
  else metadata.labels = before.metadata.labels;
}
