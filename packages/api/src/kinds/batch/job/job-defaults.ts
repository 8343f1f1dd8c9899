import { setPodSpecDefaults } from "../../core/pod/defaults/pod-defaults.ts";
import type { Job, JobSpec } from "./job.ts";

const backoffLimitDefault = 6;
/** The limit of the whole Job has no effect if each index has a limit of its own. */
const backoffLimitMax = 2 ** 31 - 1;

/** Sets the defaults of pkg/apis/batch/v1/defaults.go. */
export function setJobDefaults({ metadata, spec }: Job): void {
  if (spec === undefined) return;
  // A Job without completions and parallelism runs one pod.
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? backoffLimitDefault : backoffLimitMax;
  const labels = spec.template.metadata?.labels;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
  setJobTemplateDefaults(spec);
}

/**
 * The defaults that Job templates get too; the other defaults are set when a Job is made from the
 * template.
 */
export function setJobTemplateDefaults(spec: JobSpec): void {
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
  if (spec.template.spec !== undefined) setPodSpecDefaults(spec.template.spec);
}
