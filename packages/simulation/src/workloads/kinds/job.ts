import { isControlledBy, isJobFinished, type Job, jobs, type PodTemplateSpec } from "@kintsugi/api";
import type { ScenarioWorkload } from "../../scenario/scenario.ts";
import { isHeldUp, type PodsAtRest, type WorkloadKind } from "../workload-kind.ts";

/** A number of failures that the faults of a run never reach. */
const backoffLimit = 10_000;

export const jobWorkload: WorkloadKind<Job> = {
  type: jobs,
  make: (workload, template) => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: workload.name, namespace: "default" },
    spec: jobSpecOf(workload, template),
  }),
  wantedPods: (job) => (isJobFinished(job) ? 0 : atWork(job)),
  scaledTo: (parallelism) => ({ spec: { parallelism } }),
  ends: true,
  unsettled,
  events: ["SuccessfulCreate", "SuccessfulDelete", "Completed", "BackoffLimitExceeded"],
};

/** The spec of a Job, including Jobs that a CronJob creates. */
export function jobSpecOf(
  { replicas, completions = replicas, indexed }: ScenarioWorkload,
  template: PodTemplateSpec,
): NonNullable<Job["spec"]> {
  return {
    parallelism: replicas,
    completions,
    backoffLimit,
    ...(indexed ? { completionMode: "Indexed" as const } : {}),
    template: {
      ...template,
      spec: {
        ...template.spec,
        containers: template.spec?.containers ?? [],
        restartPolicy: indexed ? "Never" : "OnFailure",
      },
    },
  };
}

function atWork({ spec, status }: Job): number {
  const { parallelism = 1, completions = Infinity } = spec ?? {};
  return Math.min(parallelism, completions - (status?.succeeded ?? 0));
}

/** A Job in an idle cluster has ended, and counts as many successes as it has succeeded pods. */
function unsettled(job: Job, pods: PodsAtRest): string[] {
  const { all } = pods;
  const { name } = job.metadata;
  const { parallelism = 1, completions = 0 } = job.spec ?? {};
  const { active = 0, succeeded = 0, uncountedTerminatedPods } = job.status ?? {};
  // A Job with parallelism 0 waits forever.
  if (parallelism === 0) return [];
  const listed = uncountedTerminatedPods?.succeeded?.length ?? 0;
  const atEnd = all.filter((pod) => isControlledBy(pod, job) && pod.metadata.finalizers !== undefined).length;
  // A Job reports its end when its last pod has ended.
  const isOver = isJobFinished(job) || (isHeldUp(job.metadata.uid, pods) && succeeded >= completions);
  if (!isOver || active > 0 || listed > 0 || atEnd > 0)
    return [`job ${name} reports ${JSON.stringify(job.status)}, but ${atEnd} of its pods are not counted`];
  return succeeded < completions ? [`job ${name} ended with ${succeeded} of ${completions} completions`] : [];
}
