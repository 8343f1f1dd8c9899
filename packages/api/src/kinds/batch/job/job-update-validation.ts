import type { Faults } from "../../../validation/faults.ts";
import { sameJson } from "../../../values/json.ts";
import type { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";
import type { Job, JobSpec } from "./job.ts";

/** Applies the rules of ValidateJobSpecUpdate of pkg/apis/batch/validation. */
export function validateJobUpdate({ spec }: Job, before: Job, faults: Faults): void {
  const old = before.spec;
  if (spec === undefined || old === undefined) return;
  validateCompletions(spec, old, faults);
  const fields = [
    "selector",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ] as const;
  for (const field of fields) faults.immutable(`spec.${field}`, spec[field], sameJson(spec[field], old[field]));
  // A queue that admits the Job later may move the pods of a Job that has never started to other
  // nodes.
  const movable = old.suspend === true && before.status?.startTime === undefined;
  const expected = movable ? withDirectivesOf(spec.template, old.template) : old.template;
  faults.immutable("spec.template", spec.template, sameJson(spec.template, expected));
}

/** An Indexed Job can grow and shrink if its parallelism equals its completions. */
function validateCompletions(spec: JobSpec, old: JobSpec, faults: Faults): void {
  const { completions, parallelism } = spec;
  if (completions === old.completions) return;
  if (spec.completionMode !== "Indexed") return faults.immutable("spec.completions", completions, false);
  if (completions === undefined || completions === parallelism) return;
  faults.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism");
}

/** The old template with all scheduling fields of `next`. */
function withDirectivesOf(next: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const { labels, annotations } = next.metadata ?? {};
  const { containers = [], nodeSelector, tolerations, schedulingGates } = next.spec ?? {};
  const affinity = { ...old.spec?.affinity, nodeAffinity: next.spec?.affinity?.nodeAffinity };
  const hasAffinity = next.spec?.affinity !== undefined || Object.values(affinity).some((part) => part !== undefined);
  const metadata = { ...old.metadata, labels, annotations };
  const hasMetadata = next.metadata !== undefined || Object.values(metadata).some((part) => part !== undefined);
  return {
    ...old,
    metadata: hasMetadata ? metadata : undefined,
    spec: {
      ...(old.spec ?? { containers }),
      affinity: hasAffinity ? affinity : undefined,
      nodeSelector,
      tolerations,
      schedulingGates,
    },
  };
}
