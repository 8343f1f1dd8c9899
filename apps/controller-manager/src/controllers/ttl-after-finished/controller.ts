import { isApiError, jobs, parseKey } from "@kintsugi/api";
import { done, on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { ttlAfterFinishedOptions } from "./options.ts";
import { expiresAtMs } from "./plan.ts";
import { ttlAfterFinishedRole } from "@kintsugi/rules";

/** Deletes finished Jobs, with their pods, once their time to live has ended. */
export const ttlAfterFinishedController = defineController({
  name: "ttl-after-finished",
  options: ttlAfterFinishedOptions,
  roles: [ttlAfterFinishedRole],
  reads: [jobs],
  create({ client, clock, informers, metrics, options }) {
    const lateness = metrics.histogram({
      name: "ttl_after_finished_controller_job_deletion_duration_seconds",
      help: "The time it took to delete the job since it became eligible for deletion",
      buckets: Array.from({ length: 14 }, (_, power) => 0.1 * 2 ** power),
    });
    return {
      workers: options.concurrentTtlAfterFinishedSyncs,
      keys: jobs,
      watches: [on(jobs)],
      reconcile: async (key, signal) => {
        const place = parseKey(key);
        const job = informers.of(jobs).find(place);
        const atMs = job && expiresAtMs(job);
        if (atMs === undefined) return done;
        const waitMs = atMs - clock.nowMs();
        if (waitMs > 0) return { retryAfterMs: waitMs };
        // The time to live may have changed since the cache was updated.
        const live = await client.find(jobs, place, { signal });
        const liveAtMs = live && expiresAtMs(live);
        if (live === undefined || liveAtMs === undefined || liveAtMs > clock.nowMs()) return done;
        const { uid = "", resourceVersion = "" } = live.metadata;
        try {
          const preconditions = { uid, resourceVersion };
          await client.delete(jobs, place, { propagationPolicy: "Foreground", preconditions });
          lateness.observe((clock.nowMs() - liveAtMs) / 1000);
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        return done;
      },
    };
  },
});
