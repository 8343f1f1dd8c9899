import { cronJobs, formatKey, type Job, jobs, keyOf } from "@kintsugi/api";
import { findController, on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedJobs } from "../../shared/indexed-kinds.ts";
import { cronJobOptions } from "./options.ts";
import { CronJobReconciler } from "./reconciler.ts";
import { cronJobRole } from "@kintsugi/rules";

/** Starts a Job at each time of a CronJob's schedule, and retains the last finished Jobs. */
export const cronJobController = defineController({
  name: "cron-job",
  options: cronJobOptions,
  roles: [cronJobRole],
  events: "cronjob-controller",
  reads: [cronJobs, indexedJobs],
  create(context) {
    const reconciler = new CronJobReconciler(context);
    const ownersOf = (versions: readonly Job[]) => {
      const owners = versions.map((job) => findController(job, cronJobs, context.informers.of(cronJobs)));
      return owners.filter((owner) => owner !== undefined).map((owner) => formatKey(keyOf(owner)));
    };
    return {
      workers: context.options.concurrentCronJobSyncs,
      keys: cronJobs,
      watches: [
        on(cronJobs),
        on(jobs, (change) => ownersOf(change.type === "modified" ? [change.before, change.object] : [change.object])),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});
