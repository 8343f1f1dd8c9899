import type { LabelSelector } from "../../meta/label-selector-type.ts";
import { column, wide } from "../../table/columns.ts";
import { formatContainers, formatLabelSelector } from "../../table/cells.ts";
import type { PodTemplateSpec } from "../core/pod/spec/pod-template.ts";

/** The wide columns of every workload. */
export const containerColumns = [
  wide(column("Containers", "Names of the containers in the template.")),
  wide(column("Images", "Images of the containers in the template.")),
];

/** The wide columns of a workload that also prints its selector. */
export const templateColumns = [...containerColumns, wide(column("Selector", "Labels of the workload's pods."))];

export function templateCells(
  spec: { template?: PodTemplateSpec | undefined; selector?: LabelSelector | undefined } | undefined,
): string[] {
  return [...formatContainers(spec?.template?.spec?.containers ?? []), formatLabelSelector(spec?.selector)];
}
