import { formatKey, isJobFinished, type Job, jobControllerName, jobs, keyOf, type Pod, pods } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { Expectations, findController, on, owns } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { JobMemory } from "./job-memory.ts";
import { JobMetrics } from "./job-metrics.ts";
import { JobWriter } from "./job-writer.ts";
import { jobOptions } from "./options.ts";
import { OrphanPodReconciler } from "./orphan-pods.ts";
import { hasTrackingFinalizer } from "./plan/job-view.ts";
import { JobReconciler } from "./reconciler.ts";
import { jobRole } from "@kintsugi/rules";

/**
 * A Job whose pods change is reconciled after this time, so that pods that end together are counted
 * in one pass. Upstream waits for a second, because it limits a client's writes per second.
 */
const batchMs = 50;

/**
 * Workers that release pods of Jobs that no longer exist. Upstream has one worker; each pod costs
 * one write.
 */
const orphanWorkers = 4;

/** Runs the pods of each Job until enough have succeeded. */
export const jobController = defineController({
  name: "job",
  options: jobOptions,
  roles: [jobRole],
  events: "job-controller",
  reads: [jobs, indexedPods],
  create(context) {
    const expectations = new Expectations(context);
    const memory = new JobMemory();
    const metrics = new JobMetrics(context);
    const writer = new JobWriter({ ...context, expectations });
    const reconciler = new JobReconciler({ context, expectations, memory, metrics, writer });
    const orphans = new OrphanPodReconciler(context);
    const observe = ({ type, object: pod }: InformerChange<Pod>, key: string) => {
      const { name = "", uid = "", deletionTimestamp } = pod.metadata;
      const isGone = type === "deleted";
      if (isGone || deletionTimestamp !== undefined) expectations.deletionObserved(key, uid);
      if (isGone || !hasTrackingFinalizer(pod)) memory.releaseObserved(key, uid);
      // A pod that was deleted before the cache received it was created nevertheless.
      expectations.creationObserved(key, name);
    };
    const isReplaced = (change: InformerChange<Job>) =>
      change.type === "modified" && change.before.metadata.uid !== change.object.metadata.uid;
    return {
      workers: context.options.concurrentJobSyncs,
      keys: jobs,
      watches: [
        on(jobs, (change) => {
          const key = formatKey(keyOf(change.object));
          const { managedBy = jobControllerName } = change.object.spec ?? {};
          if (change.type === "added" && managedBy !== jobControllerName) metrics.managedElsewhere(managedBy);
          if (change.type === "deleted" || isReplaced(change)) {
            expectations.reset(key);
            memory.forget(key);
          }
          return [key];
        }),
        owns(pods, jobs, { observe, afterMs: batchMs }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
      also: {
        queue: "job-orphan-pod",
        workers: orphanWorkers,
        keys: pods,
        watches: [
          on(pods, (change) => {
            const { type, object: pod } = change;
            metrics.podChanged(...versionsOf(change));
            if (type === "deleted" || !hasTrackingFinalizer(pod)) return [];
            const job = findController(pod, jobs, context.informers.of(jobs));
            return job === undefined || isJobFinished(job) ? [formatKey(keyOf(pod))] : [];
          }),
          on(jobs, ({ type, object: job }) => {
            if (type !== "deleted" && !isJobFinished(job)) return [];
            const held = context.informers.of(pods).byIndex("controller", job.metadata.uid ?? "");
            return held.filter(hasTrackingFinalizer).map((pod) => formatKey(keyOf(pod)));
          }),
        ],
        reconcile: (key, signal) => orphans.reconcile(key, signal),
      },
    };
  },
});

/** The pod before and after the change. */
function versionsOf(change: InformerChange<Pod>): [Pod | undefined, Pod | undefined] {
  if (change.type === "added") return [undefined, change.object];
  return change.type === "deleted" ? [change.object, undefined] : [change.before, change.object];
}
