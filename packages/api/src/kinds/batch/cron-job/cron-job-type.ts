import type { ResourceType } from "../../../meta/resource-type.ts";
import type { CronJob } from "./cron-job.ts";

export const cronJobs: ResourceType<CronJob> = {
  group: "batch",
  version: "v1",
  resource: "cronjobs",
  singular: "cronjob",
  kind: "CronJob",
  namespaced: true,
  shortNames: ["cj"],
  categories: ["all"],
};
