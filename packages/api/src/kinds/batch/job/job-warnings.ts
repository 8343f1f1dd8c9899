import { podTemplateWarnings } from "../../core/pod/warnings/pod-warnings.ts";
import type { JobSpec } from "./job.ts";

/** Upstream's soft limits of an Indexed Job. */
const [completionsSoftMax, parallelismSoftMax] = [100_000, 10_000];

/** Returns the warnings of upstream's WarningsForJobSpec about a Job and its template. */
export function jobSpecWarnings(spec: JobSpec | undefined, path: string): string[] {
  return [...indexWarnings(spec, path), ...podTemplateWarnings(spec?.template, `${path}.template`)];
}

function indexWarnings(spec: JobSpec | undefined, path: string): string[] {
  if (spec?.completionMode !== "Indexed") return [];
  const { completions = 0, parallelism = 0 } = spec;
  if (completions <= completionsSoftMax || parallelism <= parallelismSoftMax) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
