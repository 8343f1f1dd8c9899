import { checkLabel1123 } from "../../../values/names.ts";
import type { JobSpec } from "./job.ts";

/** Upstream's soft limits of an indexed Job. */
const [completionsSoftMax, parallelismSoftMax] = [100_000, 10_000];

/** Returns upstream's warning about a name that is legal and that pods cannot take whole. */
export function jobNameWarnings(name = ""): string[] {
  const problems = checkLabel1123(name);
  if (problems.length === 0) return [];
  const advice =
    "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${advice}: [${problems.join(" ")}]`];
}

/** Returns the warnings of upstream's WarningsForJobSpec about the Job itself. */
export function jobSpecWarnings(spec: JobSpec | undefined, path: string): string[] {
  if (spec?.completionMode !== "Indexed") return [];
  const { completions = 0, parallelism = 0 } = spec;
  if (completions <= completionsSoftMax || parallelism <= parallelismSoftMax) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
