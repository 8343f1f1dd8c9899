import {
  daemonSets,
  deployments,
  jobs,
  type Logger,
  replicaSets,
  replicationControllers,
  statefulSets,
  type TimelineEntry,
} from "@kintsugi/api";
import { type Clock, forgetOldest, Waiter } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import {
  ClusterStory,
  recoveriesOf,
  type Recovery,
  recoveryTrace,
  rememberOwner,
  replacementsOf,
  type TraceSpan,
  type WorkloadRef,
} from "@kintsugi/story";
import { decodeEntry } from "../resources/encoding.ts";
import { storePrefix } from "../resources/keys.ts";
import type { ServerOptions } from "../server-options.ts";
import type { Journal } from "../timeline/journal.ts";

export interface TraceSink {
  /**
   * Sends a trace.
   * @param identity the same for the same recovery, regardless of the server that sends it and of
   * repetitions
   * @throws when the receiver does not accept it
   */
  send(trace: TraceSpan, identity: string): Promise<void>;
}

export interface RecoveryTracesDeps {
  readonly journal: Pick<Journal, "loaded" | "entries" | "follow">;
  readonly store: Pick<Store, "list" | "historyId">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sink: TraceSink;
}

export type RecoveryTracesOptions = Pick<ServerOptions, "defaultUnreachableTolerationSeconds">;

/** Interval of inspection of the recoveries while a recovery is in progress. */
const lookIntervalMs = 5_000;
/**
 * A recovery is complete after this time without a new step, because the first of several lost pods
 * may be replaced before the second is deleted.
 */
const settleMs = 10_000;
/**
 * A recovery that takes longer is sent unfinished, because the recovery of an empty node may never
 * end.
 */
const openMaxMs = 60 * 60_000;
/** Age of a recovery's end beyond which an earlier server has sent its trace. */
const recentMs = 60_000;
/**
 * Limit of silences whose revisions are remembered. The silences of the last hour are needed, and
 * nodes do not flap faster.
 */
const silencesMax = 10_000;

const ownerTypes = [deployments, replicaSets, statefulSets, daemonSets, jobs, replicationControllers];

/** Sends a trace of each recovery from a silent node, made from the steps of the timeline. */
export class RecoveryTraces {
  readonly #deps: RecoveryTracesDeps;
  readonly #options: RecoveryTracesOptions;
  readonly #waiter = new Waiter();
  #story = new ClusterStory();
  /** The revision of each silence, by node and time. */
  #silences = new Map<string, number>();
  #sent = new Set<string>();
  #isDue = false;

  constructor(deps: RecoveryTracesDeps, options: RecoveryTracesOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Works until the signal aborts. A server that takes over starts with the current timeline. */
  async run(signal: AbortSignal): Promise<void> {
    const { journal, clock } = this.#deps;
    await journal.loaded;
    this.#story = new ClusterStory();
    this.#silences = new Map();
    this.#sent = new Set();
    for (const entry of journal.entries()) this.#apply(entry);
    for (const recovery of this.#recoveries()) if (endOf(recovery) < clock.nowMs() - recentMs) this.#isSent(recovery);
    const unfollow = journal.follow({
      push: (entries) => entries.forEach((entry) => this.#apply(entry)),
      end: () => {},
    });
    try {
      while (!signal.aborted) {
        // A cluster without silent nodes does not wake the loop.
        if (!this.#isDue) await this.#waiter.wait(signal);
        if (!signal.aborted) await clock.sleep(lookIntervalMs, signal).catch(() => {});
        if (!signal.aborted) this.#isDue = await this.#look();
      }
    } finally {
      unfollow();
    }
  }

  #apply(entry: TimelineEntry): void {
    this.#story.apply(entry);
    if (entry.kind !== "Node" || entry.what !== "condition" || !entry.detail.startsWith("Ready=Unknown")) return;
    this.#silences.set(silenceKey(entry.name, entry.timeMs), entry.revision);
    forgetOldest(this.#silences, silencesMax);
    this.#isDue = true;
    this.#waiter.wake();
  }

  /** Sends complete recoveries, and reports whether a recovery is still in progress. */
  async #look(): Promise<boolean> {
    const { clock } = this.#deps;
    const nowMs = clock.nowMs();
    let isUnderWay = false;
    for (const recovery of this.#recoveries()) {
      if (this.#sent.has(recoveryKey(recovery))) continue;
      const isSettled = recovery.isOver && nowMs - endOf(recovery) >= settleMs;
      if (isSettled || nowMs - beginOf(recovery) >= openMaxMs) await this.#send(recovery, nowMs);
      else isUnderWay = true;
    }
    return isUnderWay;
  }

  async #send(recovery: Recovery, nowMs: number): Promise<void> {
    const { sink, store, log } = this.#deps;
    this.#isSent(recovery);
    const revision = this.#silences.get(recoveryKey(recovery));
    try {
      await sink.send(recoveryTrace(recovery, nowMs), `${store.historyId}/${recovery.node}/${revision}`);
    } catch (error) {
      // A lost trace is only missing in the tracing backend; the timeline still has its steps.
      log.warn("trace of a recovery cannot be sent", { node: recovery.node, error });
    }
  }

  #isSent(recovery: Recovery): void {
    this.#sent.add(recoveryKey(recovery));
    forgetOldest(this.#sent, silencesMax);
  }

  /** The recoveries of the story. The owners of pods are read when they are needed. */
  #recoveries(): Recovery[] {
    const { lanes } = this.#story;
    if (lanes.every(({ spans }) => spans.every(({ state }) => state !== "silent"))) return [];
    const replacements = replacementsOf([...this.#story.bars()], this.#workloads());
    return recoveriesOf(lanes, replacements, {
      defaultTolerationSeconds: this.#options.defaultUnreachableTolerationSeconds,
    });
  }

  #workloads(): Map<string, WorkloadRef> {
    const known = new Map<string, WorkloadRef>();
    for (const type of ownerTypes)
      for (const entry of this.#deps.store.list(storePrefix(type, "")).entries)
        rememberOwner(known, type.kind, decodeEntry(entry).metadata);
    return known;
  }
}

function silenceKey(node: string, atMs: number): string {
  return `${node}@${atMs}`;
}

function recoveryKey(recovery: Recovery): string {
  return silenceKey(recovery.node, beginOf(recovery));
}

function beginOf({ steps }: Recovery): number {
  return steps[0]?.atMs ?? 0;
}

function endOf({ steps }: Recovery): number {
  return steps.at(-1)?.atMs ?? 0;
}
