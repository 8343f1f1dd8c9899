import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime, RuntimeEvent } from "@kintsugi/cri";
import { Doorbell } from "../loops/doorbell.ts";
import type { ObservedPod } from "../runtime/observed-pod.ts";
import {
  containerEvents,
  type PodIdentity,
  recordsOf,
  type RuntimeRecord,
  type RuntimeRecords,
} from "./container-events.ts";
import { formatGoDuration } from "../text/go-duration.ts";

export interface PlegOptions {
  /** Between two listings while the runtime sends no events. Default 1 s, as upstream's. */
  relistIntervalMs: number;
  /** The safety net while events flow. Default 60 s. */
  relistIntervalWithEventsMs: number;
  /** Without a listing for this long the node is not healthy. Default 3 min. */
  relistThresholdMs: number;
}

export interface PlegDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** How many containers that stopped before they were known are remembered; more than one node can start at once. */
const recentStopsMax = 1000;
const streamRetryMs = 1000;
/** The runtime tells of a stop some milliseconds before its own listing shows it: then the pod is read again, this soon, */
const staleReadRetryMs = 5;
/** and this often, before the listing is believed after all. */
const staleReadsMax = 40;

/**
 * Pod lifecycle event generator: tells which pods have changed in the runtime. The runtime's event stream says so within
 * milliseconds; a listing, compared with the one before, says so whatever became of the stream.
 */
export class Pleg {
  readonly #deps: PlegDeps;
  readonly #options: PlegOptions;
  readonly #bell: Doorbell;
  readonly #handlers = new Set<(pod: PodIdentity) => void>();
  /** Containers that were told to have stopped, with how often a later reading may still contradict. */
  readonly #recentStops = new Map<string, number>();
  readonly #relistSeconds;
  #records = new Map<string, RuntimeRecord>();
  #lastRelistMs: number;
  #hasListed = false;
  #eventsFlow = false;

  constructor(deps: PlegDeps, options: PlegOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#bell = new Doorbell(deps.clock);
    this.#lastRelistMs = deps.clock.monotonicMs();
    this.#relistSeconds = deps.metrics.histogram({
      name: "kubelet_pleg_relist_duration_seconds",
      help: "Duration in seconds for relisting pods in PLEG.",
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  /** Calls `handler` with every pod of which something changed. */
  onPodChanged(handler: (pod: PodIdentity) => void): void {
    this.#handlers.add(handler);
  }

  /** Whether the runtime has been listed at all: before, nothing may be concluded from what is not there. */
  get hasListed(): boolean {
    return this.#hasListed;
  }

  get records(): RuntimeRecords {
    return this.#records;
  }

  /** Why the generator cannot be relied on, in upstream's words. */
  unhealthyBecause(): string | undefined {
    const silentMs = this.#deps.clock.monotonicMs() - this.#lastRelistMs;
    if (silentMs <= this.#options.relistThresholdMs) return undefined;
    const threshold = formatGoDuration(this.#options.relistThresholdMs);
    return `PLEG is not healthy: pleg was last seen active ${formatGoDuration(silentMs)} ago; threshold is ${threshold}`;
  }

  /** A worker has just read this pod from the runtime: what it saw is no news any more. */
  observed(pod: ObservedPod): void {
    const identity = { uid: pod.uid, name: pod.name, namespace: pod.namespace };
    const seen = new Set([...pod.sandboxes, ...pod.containers].map(({ id }) => id));
    for (const [id, record] of this.#records) if (record.pod.uid === pod.uid && !seen.has(id)) this.#records.delete(id);
    for (const { id, ready } of pod.sandboxes) {
      this.#records.set(id, { kind: "sandbox", pod: identity, state: ready ? "running" : "exited" });
    }
    for (const { id, state } of pod.containers) this.#records.set(id, { kind: "container", pod: identity, state });
    // It may have been read just before it stopped, and registered just after the stop was told.
    const contradicted = [...seen].filter(
      (id) => this.#records.get(id)?.state === "running" && this.#mayContradict(id),
    );
    if (contradicted.length > 0) this.#deps.clock.after(staleReadRetryMs, () => this.#tell(identity));
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#relistForever(signal), this.#listenForever(signal)]);
  }

  async #relistForever(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const succeeded = await this.#relist(signal);
      const quiet = succeeded && this.#eventsFlow;
      await this.#bell.wait(quiet ? this.#options.relistIntervalWithEventsMs : this.#options.relistIntervalMs, signal);
    }
  }

  async #relist(signal: AbortSignal): Promise<boolean> {
    const { runtime, clock, log } = this.#deps;
    const startedMs = clock.monotonicMs();
    try {
      const [sandboxes, containers] = await Promise.all([
        runtime.listPodSandboxes({}, signal),
        runtime.listContainers({}, signal),
      ]);
      const before = this.#records;
      this.#records = recordsOf(sandboxes, containers);
      this.#lastRelistMs = startedMs;
      this.#hasListed = true;
      const changed = new Map(containerEvents(before, this.#records).map(({ pod }) => [pod.uid, pod]));
      for (const pod of changed.values()) this.#tell(pod);
      this.#relistSeconds.observe((clock.monotonicMs() - startedMs) / 1000);
      return true;
    } catch (error) {
      if (!signal.aborted) log.warn("runtime not listed", { error });
      return false;
    }
  }

  async #listenForever(signal: AbortSignal): Promise<void> {
    const { runtime, clock, log } = this.#deps;
    while (!signal.aborted) {
      try {
        for await (const event of runtime.events(signal)) this.#noticeEvent(event);
      } catch (error) {
        if (!signal.aborted) log.warn("runtime event stream broke", { error });
      }
      if (this.#eventsFlow) this.#bell.ring();
      this.#eventsFlow = false;
      await clock.sleep(streamRetryMs, signal).catch(() => {});
    }
  }

  #noticeEvent(event: RuntimeEvent): void {
    switch (event.type) {
      case "connected":
        this.#eventsFlow = true;
        // Whatever happened before the stream was open shows in a listing.
        return this.#bell.ring();
      case "stopped":
        return this.#noticeState(event.containerId, "exited");
      case "started":
        return this.#noticeState(event.containerId, "running");
      case "deleted": {
        const record = this.#records.get(event.containerId);
        if (!record || !this.#records.delete(event.containerId)) return;
        return this.#tell(record.pod);
      }
      case "created":
      case "oom":
        // What was created shows when it starts; an OOM kill shows in how the container ended.
        return;
    }
  }

  #noticeState(id: string, state: "running" | "exited"): void {
    if (state === "exited") this.#rememberStop(id);
    const record = this.#records.get(id);
    if (!record || record.state === state || record.state === "exited") return;
    record.state = state;
    this.#tell(record.pod);
  }

  #mayContradict(id: string): boolean {
    const left = this.#recentStops.get(id) ?? 0;
    if (left > 0) this.#recentStops.set(id, left - 1);
    return left > 0;
  }

  #rememberStop(id: string): void {
    this.#recentStops.set(id, staleReadsMax);
    if (this.#recentStops.size <= recentStopsMax) return;
    for (const oldest of this.#recentStops.keys()) {
      this.#recentStops.delete(oldest);
      break;
    }
  }

  #tell(pod: PodIdentity): void {
    for (const handler of this.#handlers) handler(pod);
  }
}
