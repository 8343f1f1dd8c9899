import { isApiError, jobs, parseKey } from "@kintsugi/api";
import { done, on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { ttlAfterFinishedOptions } from "./options.ts";
import { expiresInMs } from "./plan.ts";
import { ttlAfterFinishedRole } from "./role.ts";

/** Deletes finished Jobs, with their pods, once their time to live is over. */
export const ttlAfterFinishedController = defineController({
  name: "ttl-after-finished",
  options: ttlAfterFinishedOptions,
  roles: [ttlAfterFinishedRole],
  reads: [jobs],
  create({ client, clock, informers, options }) {
    return {
      workers: options.concurrentTtlAfterFinishedSyncs,
      keys: jobs,
      watches: [on(jobs)],
      reconcile: async (key, signal) => {
        const place = parseKey(key);
        const job = informers.of(jobs).find(place);
        const waitMs = job && expiresInMs(job, clock.nowMs());
        if (waitMs === undefined) return done;
        if (waitMs > 0) return { retryAfterMs: waitMs };
        // The time to live may have been changed since the copy was made.
        const live = await client.find(jobs, place, { signal });
        if (live === undefined || expiresInMs(live, clock.nowMs()) !== 0) return done;
        const { uid = "", resourceVersion = "" } = live.metadata;
        try {
          const preconditions = { uid, resourceVersion };
          await client.delete(jobs, place, { propagationPolicy: "Foreground", preconditions });
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        return done;
      },
    };
  },
});
