import type { Deployment, PodDisruptionBudget, ReplicaSet } from "@kintsugi/api";
import { formatAge, formatContainers, formatLabelSelector } from "./cells.ts";
import { ageColumn, column, integerColumn, type KindTable, nameColumn, wide } from "./columns.ts";

/** What the pods of a workload run, and which they are. */
const templateColumns = [
  wide(column("Containers", "Names of each container in the template.")),
  wide(column("Images", "Images referenced by each container in the template.")),
  wide(column("Selector", "Labels of the pods that count.")),
];

function templateCells(spec: ReplicaSet["spec"]) {
  return [...formatContainers(spec?.template?.spec?.containers ?? []), formatLabelSelector(spec?.selector)];
}

export const deploymentTable: KindTable<Deployment> = {
  columns: [
    nameColumn,
    column("Ready", "How many pods are ready, of how many there should be."),
    integerColumn("Up-to-date", "How many pods are made from the present template."),
    integerColumn("Available", "How many pods have been ready long enough."),
    ageColumn,
    ...templateColumns,
  ],
  cells(deployment, nowMs) {
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
};

export const replicaSetTable: KindTable<ReplicaSet> = {
  columns: [
    nameColumn,
    integerColumn("Desired", "How many pods there should be."),
    integerColumn("Current", "How many pods there are."),
    integerColumn("Ready", "How many pods are ready."),
    ageColumn,
    ...templateColumns,
  ],
  cells(replicaSet, nowMs) {
    const { spec, status } = replicaSet;
    return [
      replicaSet.metadata.name ?? "",
      spec?.replicas ?? 0,
      status?.replicas ?? 0,
      status?.readyReplicas ?? 0,
      formatAge(replicaSet, nowMs),
      ...templateCells(spec),
    ];
  },
};

export const podDisruptionBudgetTable: KindTable<PodDisruptionBudget> = {
  columns: [
    nameColumn,
    column("Min Available", "The minimum number of pods that must be available."),
    column("Max Unavailable", "The maximum number of pods that may be unavailable."),
    integerColumn("Allowed Disruptions", "Calculated number of pods that may be disrupted at this time."),
    ageColumn,
  ],
  cells(budget, nowMs) {
    return [
      budget.metadata.name ?? "",
      String(budget.spec?.minAvailable ?? "N/A"),
      String(budget.spec?.maxUnavailable ?? "N/A"),
      budget.status?.disruptionsAllowed ?? 0,
      formatAge(budget, nowMs),
    ];
  },
};
