import { sameJson } from "../../values/json.ts";
import type { PodTemplateSpec } from "../core/pod/spec/pod-template.ts";
import { podNamesWarnings } from "../core/pod/warnings/pod-name-warnings.ts";
import { podTemplateWarnings } from "../core/pod/warnings/pod-warnings.ts";

interface Workload {
  metadata: { name?: string | undefined };
  spec?: { template?: PodTemplateSpec | undefined } | undefined;
}

/** Reports whether an update only repeats earlier warnings. */
export function isOldSpec(object: { spec?: unknown }, before: { spec?: unknown } | undefined): boolean {
  return before !== undefined && sameJson(object.spec, before.spec);
}

/** Returns the warnings about a workload whose template is `spec.template`. */
export function templateWarnings(workload: Workload, before: Workload | undefined): string[] {
  return isOldSpec(workload, before) ? [] : podTemplateWarnings(workload.spec?.template, "spec.template");
}

/**
 * The warnings of `templateWarnings` for a workload whose pods are named after it; a name never
 * changes.
 */
export function namedTemplateWarnings(workload: Workload, before: Workload | undefined): string[] {
  const ofName = before === undefined ? podNamesWarnings(workload.metadata.name) : [];
  return [...ofName, ...templateWarnings(workload, before)];
}
