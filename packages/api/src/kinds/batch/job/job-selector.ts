import { matchesLabels, toSelector } from "../../../meta/label-selector.ts";
import type { Faults } from "../../../validation/faults.ts";
import { jobLabels } from "./job-keys.ts";
import type { Job } from "./job.ts";

/**
 * Labels the template so that other Jobs do not have the same pods, and selects by the UID. Labels
 * that the author set are kept, and validation reports conflicting labels.
 */
export function generateJobSelector({ metadata, spec }: Job): void {
  if (spec === undefined || spec.manualSelector === true) return;
  const { name = "", uid = "" } = metadata;
  const labels = ((spec.template.metadata ??= {}).labels ??= {});
  for (const label of [jobLabels.legacyName, jobLabels.name]) labels[label] ??= name;
  for (const label of [jobLabels.legacyUid, jobLabels.uid]) labels[label] ??= uid;
  spec.selector ??= {};
  (spec.selector.matchLabels ??= {})[jobLabels.uid] ??= uid;
}

export function validateGeneratedSelector({ metadata, spec }: Job, faults: Faults): void {
  if (spec?.selector === undefined || spec.manualSelector === true) return;
  const { name = "", uid = "" } = metadata;
  const expected = {
    [jobLabels.legacyUid]: uid,
    [jobLabels.legacyName]: name,
    [jobLabels.uid]: uid,
    [jobLabels.name]: name,
  };
  const labels = spec.template.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(expected)) {
    const path = `spec.template.metadata.labels[${key}]`;
    const actual = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (actual === undefined) faults.required(path, `must be '${value}'`);
    else if (actual !== value) faults.invalid(path, labels, `must be '${value}'`);
  }
  if (!matchesLabels(toSelector(spec.selector), expected)) {
    faults.invalid("spec.selector", spec.selector, "`selector` not auto-generated");
  }
}
