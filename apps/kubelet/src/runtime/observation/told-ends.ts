import { forgetOldest } from "@kintsugi/clock";
import type { RuntimeEvent } from "@kintsugi/cri";
import type { ObservedContainer, ObservedPod } from "../../model/observed-pod.ts";
import type { RuntimeRecord, RuntimeRecords } from "./container-events.ts";

/** The end of a container or sandbox, from the runtime's event. */
export interface ToldEnd {
  exitCode: number;
  finishedAtMs: number;
  wasOomKilled: boolean;
  /** The time of the event, on the monotonic clock. */
  toldAtMs: number;
}

/**
 * Limit of recorded ends, above the number of containers that can start on one node before the
 * oldest end is listed.
 */
const endsMax = 1000;
/**
 * Time for which an event takes precedence over the runtime's own listing. containerd's lists
 * follow within about 10 ms, and on a loaded machine within a second. A list that shows the
 * container running after this time is trusted.
 */
const trustMs = 10_000;

/**
 * Ends that the runtime's events have announced and its lists do not show yet. An id never runs
 * twice, so an end is final. It is dropped when the lists agree, or when the lists still do not
 * show the end after a while.
 */
export class ToldEnds {
  readonly #ends = new Map<string, ToldEnd>();
  /** An OOM kill has a separate event, before the end. */
  readonly #oomKilled = new Set<string>();

  note(event: RuntimeEvent, nowMs: number): void {
    if (event.type === "oom") {
      this.#oomKilled.add(event.containerId);
      forgetOldest(this.#oomKilled, endsMax);
    } else if (event.type === "deleted") {
      this.#forget(event.containerId);
    } else if (event.type === "stopped" && event.exitCode !== undefined && !this.#ends.has(event.containerId)) {
      const { containerId, exitCode, atMs } = event;
      const wasOomKilled = this.#oomKilled.has(containerId) && exitCode === 137;
      this.#ends.set(containerId, { exitCode, finishedAtMs: atMs, wasOomKilled, toldAtMs: nowMs });
      forgetOldest(this.#ends, endsMax);
    }
  }

  find(id: string, nowMs: number): ToldEnd | undefined {
    const end = this.#ends.get(id);
    return end && nowMs - end.toldAtMs < trustMs ? end : undefined;
  }

  /** Records that the runtime's lists now show the end, so that their data replaces the event's. */
  agreed(id: string): void {
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#ends.delete(id);
    this.#oomKilled.delete(id);
  }
}

/**
 * Combines the runtime's lists with the ends that its events have proven. A listing that shows the
 * end itself takes precedence, because it has the better reason.
 */
export function withToldEnds(observed: ObservedPod, findEnd: (id: string) => ToldEnd | undefined): ObservedPod {
  const containers = observed.containers.map((container) => {
    const end = container.state === "running" ? findEnd(container.id) : undefined;
    return end ? ended(container, end) : container;
  });
  const sandboxes = observed.sandboxes.map((sandbox) =>
    sandbox.ready && findEnd(sandbox.id) ? { ...sandbox, ready: false } : sandbox,
  );
  return { ...observed, sandboxes, containers };
}

/** Combines lists and ends for the records that are retained between two listings. */
export function recordsWithToldEnds(
  records: RuntimeRecords,
  findEnd: (id: string) => ToldEnd | undefined,
): Map<string, RuntimeRecord> {
  const withEnds = new Map(records);
  for (const [id, record] of records)
    if (record.state === "running" && findEnd(id)) withEnds.set(id, { ...record, state: "exited" });
  return withEnds;
}

function ended(container: ObservedContainer, { exitCode, finishedAtMs, wasOomKilled }: ToldEnd): ObservedContainer {
  const reason = wasOomKilled ? "OOMKilled" : exitCode === 0 ? "Completed" : "Error";
  return { ...container, state: "exited", finishedAtMs, exitCode, reason };
}
