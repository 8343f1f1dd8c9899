import { templateWarnings } from "../workload-warnings.ts";
import { formatAge, formatLabels } from "../../../table/cells.ts";
import { ageColumn, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import { setPodSpecDefaults } from "../../core/pod/defaults/pod-defaults.ts";
import { defineKind } from "../../define-kind.ts";
import { templateCells, templateColumns } from "../template-columns.ts";
import { daemonSets } from "./daemon-set-type.ts";
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from "./daemon-set-validation.ts";
import { DaemonSet, type DaemonSetStatus } from "./daemon-set.ts";
import { countTemplateGeneration, startTemplateGeneration } from "./template-generation.ts";

export const daemonSetKind = defineKind<DaemonSet>({
  type: daemonSets,
  schema: DaemonSet,
  defaults: setDaemonSetDefaults,
  validation: {
    validate: validateDaemonSet,
    update: validateDaemonSetUpdate,
    status: validateDaemonSetStatus,
  },
  strategy: {
    status: true,
    generation: true,
    warnings: templateWarnings,
    prepareForCreate: (daemonSet) => {
      daemonSet.status = emptyStatus();
      startTemplateGeneration(daemonSet);
    },
    prepareForUpdate: countTemplateGeneration,
  },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      integerColumn("Desired", "Number of nodes that are supposed to run a pod."),
      integerColumn("Current", "Number of eligible nodes that have a pod."),
      integerColumn("Ready", "Number of eligible nodes whose pod is ready."),
      integerColumn("Up-to-date", "Number of eligible nodes whose pod has the current template."),
      integerColumn("Available", "Number of eligible nodes whose pod has been ready for minReadySeconds."),
      column("Node Selector", "Labels that a node must have to run a pod."),
      ageColumn,
      ...templateColumns,
    ],
    cells: (daemonSet, nowMs) => {
      const { spec, status } = daemonSet;
      return [
        daemonSet.metadata.name ?? "",
        status?.desiredNumberScheduled ?? 0,
        status?.currentNumberScheduled ?? 0,
        status?.numberReady ?? 0,
        status?.updatedNumberScheduled ?? 0,
        status?.numberAvailable ?? 0,
        formatLabels(spec?.template.spec?.nodeSelector),
        formatAge(daemonSet, nowMs),
        ...templateCells(spec),
      ];
    },
  },
});

/** The defaults follow pkg/apis/apps/v1/defaults.go. */
function setDaemonSetDefaults({ spec }: DaemonSet): void {
  if (spec === undefined) return;
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  if (spec.template.spec !== undefined) setPodSpecDefaults(spec.template.spec);
}

function emptyStatus(): DaemonSetStatus {
  return { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
}
