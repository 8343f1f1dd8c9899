import {
  type ApiObject,
  type Event,
  events,
  formatTimestamp,
  isApiError,
  type Logger,
  type ObjectReference,
  silentLogger,
} from "@kintsugi/api";
import { type Clock, onAbort, type Random, type Timer } from "@kintsugi/clock";
import type { ObjectWriter } from "../client.ts";
import { type Correlated, EventCorrelator } from "./event-correlator.ts";

/**
 * Limit on events that wait to be sent, as in client-go's broadcaster. Further events are dropped
 * and counted in the log.
 */
const queuedMax = 1000;
/**
 * Events of one object keep their order. Events of different objects are sent in parallel, in this
 * many lanes. The server answers the requests of a burst after some twenty milliseconds, when they
 * share a sync. The lanes use a quarter of a client's connections.
 */
const lanes = 8;
/** The number of attempts to send an event while the API cannot be reached, as in client-go. */
const attemptsMax = 12;
/** Time between two attempts. */
const retryMs = 10_000;
/** A process that exits waits little longer than this for its last events. */
const stoppingMs = 1_000;

export interface EventRecorderDeps {
  client: Pick<ObjectWriter, "create" | "patch">;
  clock: Clock;
  random: Random;
  log?: Logger;
}

export interface EventRecorderOptions {
  /** The component that reports: "kubelet", "default-scheduler", "replicaset-controller". */
  component: string;
  /** The machine of the component, where it matters, such as the kubelet's node. */
  host?: string;
}

export interface EventRecorder {
  /** Never waits and never fails, because events are best effort. */
  record(about: ApiObject | ObjectReference, what: RecordedEvent): void;
  /**
   * Sends recorded events until the signal aborts; queued events are then tried once more, briefly.
   */
  run(signal: AbortSignal): Promise<void>;
}

export interface RecordedEvent {
  type: "Normal" | "Warning";
  /** One word in upper camel case: "FailedScheduling". */
  reason: string;
  message: string;
  action?: string;
  /** Another object involved, such as the pod for which this pod made room. */
  related?: ApiObject;
}

/** Records events about objects as upstream's components do. */
export function createEventRecorder(deps: EventRecorderDeps, options: EventRecorderOptions): EventRecorder {
  return new QueueingEventRecorder(deps, options);
}

interface Until {
  /** Aborts when the recorder is stopped. */
  told: AbortSignal;
  /** Aborts when the recorder's time to stop has passed. */
  tooLate: AbortSignal;
}

class QueueingEventRecorder implements EventRecorder {
  readonly #deps: EventRecorderDeps;
  readonly #options: EventRecorderOptions;
  readonly #log: Logger;
  readonly #correlator = new EventCorrelator();
  readonly #lanes: Event[][] = Array.from({ length: lanes }, () => []);
  readonly #wakes = new Map<number, () => void>();
  #queued = 0;
  #lastNameNs = 0n;

  constructor(deps: EventRecorderDeps, options: EventRecorderOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#log = deps.log ?? silentLogger;
  }

  record(about: ApiObject | ObjectReference, what: RecordedEvent): void {
    if (this.#queued >= queuedMax) {
      this.#log.warn("event dropped: too many are waiting", { reason: what.reason, waiting: this.#queued });
      return;
    }
    const event = this.#eventOf(referenceTo(about), what);
    const lane = laneOf(event.involvedObject.uid ?? event.involvedObject.name ?? "");
    this.#lanes[lane]?.push(event);
    this.#queued++;
    this.#wakes.get(lane)?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const tooLate = new AbortController();
    let timer: Timer | undefined;
    const stop = () => {
      timer = clock.after(stoppingMs, () => tooLate.abort(new Error(`not sent within ${stoppingMs} ms of the end`)));
    };
    const stopListening = onAbort(signal, stop);
    if (signal.aborted) stop();
    const until = { told: signal, tooLate: tooLate.signal };
    await Promise.all(this.#lanes.map((lane, index) => this.#runLane(lane, index, until)));
    timer?.cancel();
    stopListening();
  }

  async #runLane(lane: Event[], index: number, until: Until): Promise<void> {
    const stopListening = onAbort(until.told, () => this.#wakes.get(index)?.());
    for (;;) {
      const event = until.tooLate.aborted ? undefined : lane.shift();
      if (event !== undefined) {
        this.#queued--;
        await this.#send(event, until);
        continue;
      }
      if (until.told.aborted) break;
      await new Promise<void>((resolve) => this.#wakes.set(index, resolve));
      this.#wakes.delete(index);
    }
    stopListening();
  }

  async #send(event: Event, until: Until): Promise<void> {
    const { clock, random } = this.#deps;
    const correlated = this.#correlator.correlate(event, clock.monotonicMs());
    if (correlated.send === "nothing") return;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      try {
        await this.#write(correlated, until.tooLate);
        return;
      } catch (error) {
        if (isApiError(error, "AlreadyExists")) return;
        if (isApiError(error) && error.code < 500) {
          this.#log.warn("event refused", { reason: event.reason, error });
          return;
        }
        if (attempt === attemptsMax || until.told.aborted) {
          this.#log.warn("event lost", { reason: event.reason, error });
          return;
        }
        // The first wait is random, so that events that failed together are not retried together.
        await clock.sleep(attempt === 1 ? random.float() * retryMs : retryMs, until.told).catch(() => {});
      }
    }
  }

  async #write(correlated: Exclude<Correlated, { send: "nothing" }>, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const { event } = correlated;
    if (correlated.send === "patch") {
      const key = { namespace: event.metadata.namespace ?? "", name: event.metadata.name ?? "" };
      const { count, lastTimestamp, message } = event;
      try {
        await client.patch(events, key, { type: "merge", body: { count, lastTimestamp, message } }, { signal });
        return;
      } catch (error) {
        // Events expire after an hour. An expired event is created again with the count that it had
        // reached.
        if (!isApiError(error, "NotFound")) throw error;
      }
    }
    await client.create(events, event, { signal });
  }

  #eventOf(involvedObject: ObjectReference, what: RecordedEvent): Event {
    const { component, host } = this.#options;
    const timestamp = formatTimestamp(this.#deps.clock.nowMs());
    return {
      metadata: {
        name: `${involvedObject.name}.${this.#nextNameNs().toString(16)}`,
        namespace: involvedObject.namespace || "default",
      },
      involvedObject,
      type: what.type,
      reason: what.reason,
      message: what.message,
      ...(what.action === undefined ? {} : { action: what.action }),
      ...(what.related === undefined ? {} : { related: referenceTo(what.related) }),
      count: 1,
      firstTimestamp: timestamp,
      lastTimestamp: timestamp,
      source: host === undefined ? { component } : { component, host },
      reportingComponent: component,
      reportingInstance: host ?? "",
    };
  }

  /** Nanoseconds of wall time, as in the names of upstream's events; never the same value twice. */
  #nextNameNs(): bigint {
    const { clock, random } = this.#deps;
    const nowNs = BigInt(Math.floor(clock.nowMs())) * 1_000_000n + BigInt(random.integer(1_000_000));
    this.#lastNameNs = nowNs > this.#lastNameNs ? nowNs : this.#lastNameNs + 1n;
    return this.#lastNameNs;
  }
}

function laneOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(hash) % lanes;
}

function referenceTo(about: ApiObject | ObjectReference): ObjectReference {
  if (!("metadata" in about)) return about;
  const { apiVersion, kind, metadata } = about;
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
