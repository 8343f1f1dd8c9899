import type { RuntimeEvent } from "@kintsugi/cri";
import { forgetOldest } from "../../base/forget-oldest.ts";
import type { ObservedContainer, ObservedPod } from "../../model/observed-pod.ts";
import type { RuntimeRecord, RuntimeRecords } from "./container-events.ts";

/** How a container or sandbox ended, as the runtime's event told it. */
export interface ToldEnd {
  exitCode: number;
  finishedAtMs: number;
  wasOomKilled: boolean;
  /** On the monotonic clock: when it was told. */
  toldAtMs: number;
}

/** More than one node can start before the oldest of them is listed as exited. */
const endsMax = 1000;
/**
 * How long an event counts for more than the runtime's own listing. containerd's lists follow
 * within some 10 ms, on a loaded machine within a second; whoever says after this that the
 * container runs is believed.
 */
const trustMs = 10_000;

/**
 * Ends that the runtime's events have told and its lists do not show yet. An id never runs twice,
 * so an end is final; it is forgotten when the lists agree, and when they still do not after a
 * while.
 */
export class ToldEnds {
  readonly #ends = new Map<string, ToldEnd>();
  /** OOM kills are told apart from the end, and before it. */
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

  /** The runtime's lists show the end by now: what they say counts. */
  agreed(id: string): void {
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#ends.delete(id);
    this.#oomKilled.delete(id);
  }
}

/**
 * What the runtime's lists show, with the ends that its events have proven. A listing that shows
 * the end itself counts: it knows the reason better.
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

/** The same for what is kept between two looks. */
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
