import { parseObject } from "../../../../parsing/parse-object.ts";
import { applyDefaults } from "../../../define-kind.ts";
import { jobKind } from "../job-kind.ts";
import { generateJobSelector } from "../job-selector.ts";
import type { Job } from "../job.ts";

export const jobContainer = { name: "c", image: "x:1" };

/** A stored Job, before its first status; its template has one container. */
export function aStoredJob(spec: object, name = "sum"): Job {
  const template = { spec: { restartPolicy: "Never", containers: [jobContainer] } };
  const metadata = { name, namespace: "default", uid: "uid-1", resourceVersion: "1" };
  const job = parseObject<Job>(jobKind.schema, jobKind.type, { metadata, spec: { template, ...spec } });
  applyDefaults(jobKind, job);
  generateJobSelector(job);
  return job;
}
