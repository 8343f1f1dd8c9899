import type { LabelSelector } from "../../meta/label-selector-type.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import { formatAge } from "../../table/cells.ts";
import { ageColumn, integerColumn, nameColumn } from "../../table/columns.ts";
import type { PodTemplateSpec } from "../core/pod/spec/pod-template.ts";
import { templateCells, templateColumns } from "./template-columns.ts";

/** The columns of kinds that maintain a number of equal pods. */
export const replicaColumns = [
  nameColumn,
  integerColumn("Desired", "Number of desired pods."),
  integerColumn("Current", "Number of existing pods."),
  integerColumn("Ready", "Number of ready pods."),
  ageColumn,
  ...templateColumns,
];

interface Replicated {
  metadata: ObjectMeta;
  spec?: { replicas?: number | undefined; template?: PodTemplateSpec | undefined } | undefined;
  status?: { replicas?: number | undefined; readyReplicas?: number | undefined } | undefined;
}

/** One row. The selector is a separate parameter because the kinds have it in two forms. */
export function replicaCells(object: Replicated, selector: LabelSelector | undefined, nowMs: number) {
  const { metadata, spec, status } = object;
  return [
    metadata.name ?? "",
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    formatAge(object, nowMs),
    ...templateCells({ template: spec?.template, selector }),
  ];
}
