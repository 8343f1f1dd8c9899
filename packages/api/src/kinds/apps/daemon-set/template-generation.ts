import { sameJson } from "../../../values/json.ts";
import type { DaemonSet } from "./daemon-set.ts";

/** The annotation counts changes of the template; extensions/v1beta1 had a field of the spec. */
export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

/** Undefined for text that is not an integer. */
export function parseTemplateGeneration(text: string): number | undefined {
  return /^[+-]?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A new object may contain a count, so that a restored object continues its count. */
export function startTemplateGeneration(daemonSet: DaemonSet): void {
  const text = daemonSet.metadata.annotations?.[templateGenerationAnnotation];
  const brought = text === undefined ? 1 : parseTemplateGeneration(text);
  // Text that is not a number remains, and the validation rejects it.
  if (brought !== undefined) writeTemplateGeneration(daemonSet, Math.max(1, brought));
}

/**
 * Clients cannot write the count because it is derived from the previous count and the template.
 */
export function countTemplateGeneration(daemonSet: DaemonSet, before: DaemonSet): void {
  const text = before.metadata.annotations?.[templateGenerationAnnotation] ?? "";
  const counted = parseTemplateGeneration(text) ?? 0;
  const changed = !sameJson(daemonSet.spec?.template, before.spec?.template);
  writeTemplateGeneration(daemonSet, counted + Number(changed));
}

function writeTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGenerationAnnotation]: String(generation) };
}
