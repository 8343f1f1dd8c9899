import type { Logger, Metrics } from "@kintsugi/api";
import { AutoResetEvent, type Clock } from "@kintsugi/clock";
import type { ContainerRuntime, RuntimeEvent } from "@kintsugi/cri";
import type { ObservedPod } from "../../model/observed-pod.ts";
import {
  containerEvents,
  type PodIdentity,
  type PodLifecycleEvent,
  recordAfter,
  recordsOf,
  type RuntimeRecord,
  type RuntimeRecords,
} from "./container-events.ts";
import { FirstListing, type ListedPod } from "./first-listing.ts";
import { formatGoDuration } from "../../base/go-duration.ts";
import { recordsWithToldEnds, ToldEnds, withToldEnds } from "./told-ends.ts";

export interface PlegOptions {
  /**
   * The time between two listings while the runtime does not send events. Default 1 s, upstream's
   * value.
   */
  relistIntervalMs: number;
  /** The interval of listings while events arrive. Default 60 s. */
  relistIntervalWithEventsMs: number;
  /** Time without a listing after which the node is not healthy. Default 3 min. */
  relistThresholdMs: number;
}

export interface PlegDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

const streamRetryMs = 1000;
/**
 * Time after which a pod is read again for further facts about an end that was announced and is not
 * listed yet.
 */
const agreementPeriodMs = 50;
/**
 * Time for which a stream that has missed a change counts as unreliable. One such minute costs 60
 * listings.
 */
const distrustMs = 60_000;
/** Time by which an event may follow a listing of the same change without counting as missed. */
const eventLatenessMs = 1000;

/**
 * Pod lifecycle event generator: reports the pods that have changed in the runtime. The runtime's
 * event stream reports a change within milliseconds. A listing, compared with the previous listing,
 * reports it even if the stream fails. Both use the same diff.
 */
export class Pleg {
  readonly #deps: PlegDeps;
  readonly #options: PlegOptions;
  readonly #wakeUp: AutoResetEvent;
  readonly #handlers = new Set<(pod: PodIdentity) => void>();
  readonly #oomHandlers = new Set<(containerId: string) => void>();
  readonly #ends = new ToldEnds();
  readonly #firstListing = new FirstListing();
  /** Uids of pods that are about to be read again. */
  readonly #toBeReread = new Set<string>();
  readonly #relistSeconds;
  #records = new Map<string, RuntimeRecord>();
  readonly #recordHandlers = new Set<() => void>();
  #lastRelistMs: number;
  #hasListed = false;
  /** The time at which the event stream was opened. */
  #connectedAtMs: number | undefined;
  /** The stream counts as unreliable until this time, because it has missed a change. */
  #distrustedUntilMs = Number.NEGATIVE_INFINITY;
  /** Containers whose end was read before an event reported it. */
  readonly #unannounced = new Set<string>();

  constructor(deps: PlegDeps, options: PlegOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#wakeUp = new AutoResetEvent(deps.clock);
    this.#lastRelistMs = deps.clock.monotonicMs();
    this.#relistSeconds = deps.metrics.histogram({
      name: "kubelet_pleg_relist_duration_seconds",
      help: "Duration in seconds for relisting pods in PLEG.",
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  /**
   * Calls `handler` with the id of every container in which the kernel has OOM-killed a process.
   */
  onOomKill(handler: (containerId: string) => void): void {
    this.#oomHandlers.add(handler);
  }

  /** Calls `handler` with every pod that has changed. */
  onPodChanged(handler: (pod: PodIdentity) => void): void {
    this.#handlers.add(handler);
  }

  /**
   * True when the runtime has been listed at least once; until then, a missing entry does not prove
   * that the container does not exist.
   */
  get hasListed(): boolean {
    return this.#hasListed;
  }

  get records(): RuntimeRecords {
    return this.#records;
  }

  /** Calls `handler` whenever there may be a new record. */
  onNewRecord(handler: () => void): void {
    this.#recordHandlers.add(handler);
  }

  /** Returns the reason why the generator is not reliable, in upstream's words. */
  unhealthyBecause(): string | undefined {
    const silentMs = this.#deps.clock.monotonicMs() - this.#lastRelistMs;
    if (silentMs <= this.#options.relistThresholdMs) return undefined;
    const threshold = formatGoDuration(this.#options.relistThresholdMs);
    return `PLEG is not healthy: pleg was last seen active ${formatGoDuration(silentMs)} ago; threshold is ${threshold}`;
  }

  /**
   * Records a pod that a worker has just read from the runtime, so that its state does not count as
   * a change. Returns the pod with the ends that the runtime has announced and does not list yet.
   * The pod is then read again soon, until the listing agrees.
   */
  noteObserved(read: ObservedPod): ObservedPod {
    const nowMs = this.#deps.clock.monotonicMs();
    const pod = withToldEnds(read, (id) => this.#ends.find(id, nowMs));
    const identity = { uid: pod.uid, name: pod.name, namespace: pod.namespace };
    const seen = recordsOf(pod.sandboxes, pod.containers);
    const before = new Map<string, RuntimeRecord>();
    for (const [id, record] of this.#records) if (record.pod.uid === pod.uid) before.set(id, record);
    // A worker may be the first to read a change without an event.
    this.#judgeStream(containerEvents(before, seen), nowMs);
    for (const id of before.keys()) this.#records.delete(id);
    for (const [id, record] of seen) this.#records.set(id, record);
    for (const id of seen.keys()) if (!before.has(id)) this.#tellOfRecords();

    for (const { id, state } of read.containers) if (state === "exited") this.#ends.agreed(id);
    for (const { id, ready } of read.sandboxes) if (!ready) this.#ends.agreed(id);
    const isAhead = [...seen].some(([id, { state }]) => state === "exited" && this.#ends.find(id, nowMs) !== undefined);
    if (isAhead) this.#tellLater(identity);
    return pod;
  }

  /**
   * Returns the runtime's entries of a pod that this kubelet adopts, if that does not require a
   * separate listing.
   */
  takeListed(uid: string): ListedPod | undefined {
    return this.#firstListing.take(uid);
  }

  /**
   * Returns a pod that was read earlier, with the ends that the runtime has announced since;
   * undefined when there are no such ends.
   */
  findEnded(read: ObservedPod): ObservedPod | undefined {
    const nowMs = this.#deps.clock.monotonicMs();
    const hasEnded = read.containers.some(({ id, state }) => state === "running" && this.#ends.find(id, nowMs));
    return hasEnded ? withToldEnds(read, (id) => this.#ends.find(id, nowMs)) : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#relistForever(signal), this.#listenForever(signal)]);
  }

  async #relistForever(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const succeeded = await this.#relist(signal);
      const { relistIntervalMs, relistIntervalWithEventsMs } = this.#options;
      await this.#wakeUp.wait(succeeded && this.#eventsFlow() ? relistIntervalWithEventsMs : relistIntervalMs, signal);
    }
  }

  async #relist(signal: AbortSignal): Promise<boolean> {
    const { runtime, clock, log } = this.#deps;
    const startedMs = clock.monotonicMs();
    const eventsStand = this.#connectedAtMs !== undefined;
    try {
      const [sandboxes, containers] = await Promise.all([
        runtime.listPodSandboxes({}, signal),
        runtime.listContainers({}, signal),
      ]);
      const before = this.#records;
      const listed = recordsOf(sandboxes, containers);
      this.#records = recordsWithToldEnds(listed, (id) => this.#ends.find(id, startedMs));
      const events = containerEvents(before, this.#records);
      this.#judgeStream(events, startedMs);
      this.#lastRelistMs = startedMs;
      this.#hasListed = true;
      if (eventsStand) this.#firstListing.listed(sandboxes, containers);
      this.#tellOfRecords();
      const changed = new Map(events.map(({ pod }) => [pod.uid, pod]));
      for (const pod of changed.values()) this.#tell(pod);
      this.#relistSeconds.observe((clock.monotonicMs() - startedMs) / 1000);
      return true;
    } catch (error) {
      if (!signal.aborted) log.warn("runtime not listed", { error });
      return false;
    }
  }

  #tellOfRecords(): void {
    for (const handler of this.#recordHandlers) handler();
  }

  /** Reports whether listings are only the safety net. */
  #eventsFlow(): boolean {
    return this.#connectedAtMs !== undefined && this.#deps.clock.monotonicMs() >= this.#distrustedUntilMs;
  }

  /**
   * Judges the event stream by ends that were only read. An end for which no event arrives a moment
   * later shows that the stream is incomplete.
   */
  #judgeStream(events: readonly PodLifecycleEvent[], nowMs: number): void {
    // A change from before the stream was open is only in a listing.
    if (this.#connectedAtMs === undefined || this.#connectedAtMs > this.#lastRelistMs) return;
    for (const { type, id } of events) {
      if (type !== "ContainerDied" || this.#ends.find(id, nowMs) || this.#unannounced.has(id)) continue;
      this.#unannounced.add(id);
      this.#deps.clock.after(eventLatenessMs, () => {
        if (this.#unannounced.delete(id)) this.#distrust(id);
      });
    }
  }

  #distrust(containerId: string): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs >= this.#distrustedUntilMs)
      this.#deps.log.warn("runtime event missed, so the runtime is listed more often", { container: containerId });
    this.#distrustedUntilMs = nowMs + distrustMs;
    this.#wakeUp.set();
  }

  async #listenForever(signal: AbortSignal): Promise<void> {
    const { runtime, clock, log } = this.#deps;
    while (!signal.aborted) {
      try {
        for await (const event of runtime.events(signal)) this.#noticeEvent(event);
      } catch (error) {
        if (!signal.aborted) log.warn("runtime event stream broke", { error });
      }
      if (this.#connectedAtMs !== undefined) {
        this.#firstListing.end();
        this.#wakeUp.set();
      }
      this.#connectedAtMs = undefined;
      await clock.sleep(streamRetryMs, signal).catch(() => {});
    }
  }

  #noticeEvent(event: RuntimeEvent): void {
    if (event.type === "connected") {
      this.#connectedAtMs = this.#deps.clock.monotonicMs();
      // Changes from before the stream was open are in a listing.
      return this.#wakeUp.set();
    }
    const { containerId: id } = event;
    this.#ends.note(event, this.#deps.clock.monotonicMs());
    if (event.type === "stopped" || event.type === "deleted") this.#unannounced.delete(id);
    const before = this.#records.get(id);
    if (!before) return this.#firstListing.end();
    if (event.type === "oom") for (const handler of this.#oomHandlers) handler(id);
    const after = recordAfter(before, event);
    if (after) this.#records.set(id, after);
    else this.#records.delete(id);
    const news = containerEvents(new Map([[id, before]]), new Map(after ? [[id, after]] : []));
    if (news.length > 0) this.#tell(before.pod);
  }

  #tellLater(pod: PodIdentity): void {
    if (this.#toBeReread.has(pod.uid)) return;
    this.#toBeReread.add(pod.uid);
    this.#deps.clock.after(agreementPeriodMs, () => {
      this.#toBeReread.delete(pod.uid);
      this.#tell(pod);
    });
  }

  #tell(pod: PodIdentity): void {
    for (const handler of this.#handlers) handler(pod);
  }
}
