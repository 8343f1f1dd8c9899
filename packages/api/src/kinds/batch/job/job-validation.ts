import { validateDomainPath } from "../../../validation/domain-path.ts";
import { matchesLabels, toSelector } from "../../../meta/label-selector.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length, validateLabelSelector } from "../../../validation/labels.ts";
import { checkLabel1123 } from "../../../values/names.ts";
import { validatePodTemplate } from "../../core/pod/validation/pod-template.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./job-policies-validation.ts";
import { validateGeneratedSelector } from "./job-selector.ts";
import { completionModes, type Job, type JobSpec, type JobTemplateSpec, podReplacementPolicies } from "./job.ts";

/** Upstream's limits on the length of the strings of completed and failed indexes. */
const indexesMax = 100_000;
const indexesMaxWithMany = 10_000;
const managedByLengthMax = 63;

/** Applies the rules of ValidateJob of pkg/apis/batch/validation. */
export function validateJob(job: Job, faults: Faults): void {
  const { metadata, spec } = job;
  if (spec === undefined) return faults.required("spec.template");
  validateGeneratedSelector(job, faults);
  validateJobSpec(spec, "spec", faults);
  validateSelector(spec, faults);
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== "Indexed" || completions <= 0) return;
  // The hostname of an index's pod ends in the index.
  const hostname = `${metadata.name ?? ""}-${completions - 1}`;
  if (checkLabel1123(hostname).length > 0) {
    const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
    faults.invalid("metadata.name", metadata.name, detail);
  }
}

function validateSelector({ selector, template }: JobSpec, faults: Faults): void {
  if (selector === undefined) faults.required("spec.selector");
  else validateLabelSelector(selector, "spec.selector", faults);
  const labels = template.metadata?.labels ?? {};
  if (!matchesLabels(toSelector(selector), labels)) {
    faults.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  }
}

/** Applies the rules of ValidateJobTemplateSpec; the selector of such Jobs is always generated. */
export function validateJobTemplate({ spec }: JobTemplateSpec, path: string, faults: Faults): void {
  if (spec === undefined) return faults.required(`${path}.spec.template`);
  validateJobSpec(spec, `${path}.spec`, faults);
  if (spec.selector !== undefined) {
    faults.invalid(`${path}.spec.selector`, spec.selector, "`selector` will be auto-generated");
  }
  if (spec.manualSelector === true) faults.notSupported(`${path}.spec.manualSelector`, true, ["nil", "false"]);
}

/** The rules for Jobs and for templates of Jobs. */
function validateJobSpec(spec: JobSpec, path: string, faults: Faults): void {
  const counts = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const;
  for (const field of counts) faults.notNegative(`${path}.${field}`, spec[field]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    faults.required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  }
  if (spec.managedBy !== undefined) validateManager(spec.managedBy, `${path}.managedBy`, faults);
  validateMode(spec, path, faults);
  if (spec.podFailurePolicy !== undefined) validatePodFailurePolicy(spec, `${path}.podFailurePolicy`, faults);
  if (spec.successPolicy !== undefined) {
    const field = `${path}.successPolicy`;
    if (spec.completionMode === "Indexed") validateSuccessPolicy(spec, field, faults);
    else faults.invalid(field, spec.successPolicy, "requires indexed completion mode");
  }
  validateReplacementPolicy(spec, path, faults);
  validatePodTemplate(spec.template, `${path}.template`, faults);
  validateRestartPolicy(spec, path, faults);
}

function validateManager(manager: string, field: string, faults: Faults): void {
  validateDomainPath(manager, field, faults);
  if (utf8Length(manager) > managedByLengthMax) faults.tooLong(field, managedByLengthMax);
}

function validateMode(spec: JobSpec, path: string, faults: Faults): void {
  const { completionMode: mode = "NonIndexed" } = spec;
  if (!completionModes.includes(mode)) faults.notSupported(`${path}.completionMode`, mode, completionModes);
  if (mode === "Indexed") return validateIndexedMode(spec, path, faults);
  if (mode !== "NonIndexed") return;
  for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
    if (spec[field] === undefined) continue;
    faults.invalid(`${path}.${field}`, spec[field], "requires indexed completion mode");
  }
}

function validateIndexedMode(spec: JobSpec, path: string, faults: Faults): void {
  const { completions, parallelism = 0, maxFailedIndexes: failedMax } = spec;
  const atMost = (max: number, when = "") => `must be less than or equal to ${max}${when}`;
  if (completions === undefined) faults.required(`${path}.completions`, "when completion mode is Indexed");
  if (parallelism > indexesMax) {
    faults.invalid(`${path}.parallelism`, parallelism, atMost(indexesMax, " when completion mode is Indexed"));
  }
  if (completions !== undefined && failedMax !== undefined && failedMax > completions) {
    faults.invalid(`${path}.maxFailedIndexes`, failedMax, "must be less than or equal to completions");
  }
  if (failedMax !== undefined && failedMax > indexesMax) {
    faults.invalid(`${path}.maxFailedIndexes`, failedMax, atMost(indexesMax));
  }
  if (completions === undefined || completions <= indexesMax || spec.backoffLimitPerIndex === undefined) return;
  const detail = atMost(
    indexesMaxWithMany,
    ` when completions are above ${indexesMax} and used with backoff limit per index`,
  );
  if (failedMax === undefined) {
    faults.required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${indexesMax}`);
  }
  if (parallelism > indexesMaxWithMany) faults.invalid(`${path}.parallelism`, parallelism, detail);
  if (failedMax !== undefined && failedMax > indexesMaxWithMany) {
    faults.invalid(`${path}.maxFailedIndexes`, failedMax, detail);
  }
}

function validateReplacementPolicy(spec: JobSpec, path: string, faults: Faults): void {
  const { podReplacementPolicy: policy, podFailurePolicy } = spec;
  const supported = podFailurePolicy === undefined ? podReplacementPolicies : ["Failed"];
  if (policy === undefined || supported.some((known) => known === policy)) return;
  faults.notSupported(`${path}.podReplacementPolicy`, policy, supported);
}

function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, path: string, faults: Faults): void {
  const field = `${path}.template.spec.restartPolicy`;
  const policy = template.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") faults.required(field, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") faults.notSupported(field, policy, ["OnFailure", "Never"]);
  else if (podFailurePolicy !== undefined && policy !== "Never") {
    faults.invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
