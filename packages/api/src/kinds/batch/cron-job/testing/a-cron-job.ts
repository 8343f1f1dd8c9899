import { parseObject } from "../../../../parsing/parse-object.ts";
import { applyDefaults } from "../../../define-kind.ts";
import { cronJobKind } from "../cron-job-kind.ts";
import type { CronJob } from "../cron-job.ts";

/** A Job template with one container. */
export const aJobTemplate = {
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x:1" }] } } },
};

/** A stored CronJob, before its first status. */
export function aCronJob(spec: object, metadata: object = {}): CronJob {
  const cronJob = parseObject<CronJob>(cronJobKind.schema, cronJobKind.type, {
    metadata: { name: "nightly", namespace: "default", uid: "uid-of-nightly", resourceVersion: "1", ...metadata },
    spec: { schedule: "0 4 * * *", jobTemplate: aJobTemplate, ...spec },
  });
  return applyDefaults(cronJobKind, cronJob);
}
