import { type CronJob, cronJobs } from "@kintsugi/api";
import { isHeldUp, type WorkloadKind } from "../workload-kind.ts";
import { jobSpecOf } from "./job.ts";

export const cronJobWorkload: WorkloadKind<CronJob> = {
  type: cronJobs,
  make: (workload, template) => ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: workload.name, namespace: "default" },
    spec: {
      schedule: workload.schedule ?? "* * * * *",
      jobTemplate: { spec: jobSpecOf(workload, template) },
      ...(workload.concurrency === undefined ? {} : { concurrencyPolicy: workload.concurrency }),
      ...(workload.startingDeadlineSeconds === undefined
        ? {}
        : { startingDeadlineSeconds: workload.startingDeadlineSeconds }),
    },
  }),
  // The Jobs of a CronJob need pods for a while; the CronJob itself does not want pods.
  wantedPods: () => 0,
  suspended: (suspend) => ({ spec: { suspend } }),
  ends: true,
  unsettled: ({ metadata: { name }, status }, pods) => {
    const active = (status?.active ?? []).filter(({ uid }) => !isHeldUp(uid, pods));
    return active.length === 0 ? [] : [`cron job ${name} reports ${active.length} Jobs at work`];
  },
  events: ["SuccessfulCreate", "SuccessfulDelete", "JobAlreadyActive", "MissingJob", "TooManyMissedTimes"],
};
