import type { Logger } from "@kintsugi/api";
import { events } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Entry, Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { encodeObject } from "../resources/encoding.ts";
import { storePrefix } from "../resources/keys.ts";

export interface EventSweeperDeps {
  store: Store;
  clock: Clock;
  log: Logger;
}

/** Longest time that an event is stored after it has expired. */
const sweepIntervalMs = 60_000;
/** Events that are checked in one turn, so that a sweep never delays requests for long. */
const pageLength = 1000;
/** Number of deletes that share one disk write. */
const deletesAtOnce = 100;

/** Deletes expired events until the signal aborts. */
export async function runEventSweeper(deps: EventSweeperDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await deps.clock.sleep(sweepIntervalMs, signal, "routine");
    } catch {
      return;
    }
    const removed = await sweepEvents(deps);
    if (removed > 0) deps.log.debug("events swept", { removed });
  }
}

async function sweepEvents(deps: EventSweeperDeps): Promise<number> {
  const { store, clock } = deps;
  const prefix = storePrefix(events, "");
  let removed = 0;
  let after: string | undefined;
  for (;;) {
    const page = store.list(prefix, { limit: pageLength, ...(after === undefined ? {} : { after }) });
    const expired = page.entries.filter((entry) => isExpired(entry, clock.nowMs()));
    for (let start = 0; start < expired.length; start += deletesAtOnce) {
      const group = expired.slice(start, start + deletesAtOnce);
      await Promise.all(group.map((entry) => remove(deps, entry.key)));
      removed += group.length;
    }
    after = page.entries.at(-1)?.key;
    if (!page.more || after === undefined) return removed;
  }
}

function isExpired(entry: Entry, nowMs: number): boolean {
  return entry.index.expiresAtMs !== undefined && entry.index.expiresAtMs <= nowMs;
}

/**
 * Checks again when the delete is formed, because the event may have been repeated in the meantime.
 */
async function remove({ store, clock }: EventSweeperDeps, key: string): Promise<void> {
  await store.update(
    key,
    (current) => {
      if (current === undefined || !isExpired(current, clock.nowMs())) return { keep: true, result: undefined };
      return { delete: encodeObject(decodeEntry(current)), index: current.index, result: undefined };
    },
    { important: true },
  );
}
