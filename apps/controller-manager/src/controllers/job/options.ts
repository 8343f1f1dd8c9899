import { flag, option } from "@kintsugi/daemon";

export const jobOptions = {
  concurrentJobSyncs: option(
    "concurrent-job-syncs",
    flag.count({ min: 1, help: "Jobs that are reconciled at the same time", fallback: 5 }),
  ),
};
