import { flag, option } from "@kintsugi/daemon";

export const cronJobOptions = {
  concurrentCronJobSyncs: option(
    "concurrent-cron-job-syncs",
    flag.count({ min: 1, help: "CronJobs that are reconciled at the same time", fallback: 5 }),
  ),
};
