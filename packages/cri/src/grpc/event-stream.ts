import { type ClientReadableStream, type ServiceError, status } from "@grpc/grpc-js";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type Connection, failureOf } from "@kintsugi/grpc";
import { RuntimeError, type RuntimeEvent } from "../container-runtime.ts";
import { eventService, runtimeService } from "../proto/definitions.ts";
import {
  containerdNamespace,
  eventFromEnvelope,
  eventsFromCri,
  markerEvent,
  markerTopic,
  subscriptionFilters,
  type WireContainerEvent,
  type WireEnvelope,
} from "../wire/event.ts";
import { runtimeErrorOf } from "./error.ts";

const inNamespace = { "containerd-namespace": containerdNamespace };

/**
 * Interval at which the marker is repeated until the subscription delivers it, because the first
 * marker may overtake the subscription.
 */
const markerPeriodMs = 10;
/** The time that a runtime without an event stream needs to reject the call on a busy machine. */
const refusalWaitMs = 250;

export interface EventStreamDeps {
  connection: Connection;
  clock: Clock;
  log: Logger;
}

/** "containerd": its own event service. "cri": GetContainerEvents. */
type EventSource = "containerd" | "cri";

export interface EventStreamOptions {
  callTimeoutMs: number;
  /** The sources in the order of preference; the first that the runtime supports is used. */
  sources: readonly [EventSource, ...EventSource[]];
  /** Distinguishes this subscriber's marker from other subscribers' markers. */
  subscriberId: string;
}

/**
 * Events from the first of the sources that the runtime supports.
 *
 * @throws RuntimeError unimplemented when the runtime does not support any source.
 */
export async function* runtimeEvents(
  deps: EventStreamDeps,
  options: EventStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  for (const [index, source] of options.sources.entries()) {
    const next = options.sources[index + 1];
    try {
      return yield* source === "containerd" ? containerdEvents(deps, options, signal) : criEvents(deps, signal);
    } catch (error) {
      const isAbsent = error instanceof RuntimeError && error.reason === "unimplemented";
      if (!isAbsent || next === undefined) throw error;
      deps.log.info("the runtime has no events from this source", { source, next });
    }
  }
}

/**
 * A gRPC stream from containerd is silent until its first message, so its client cannot detect when
 * the subscription is open. Therefore a marker is published on the same bus. When the marker
 * arrives, every later event will arrive too, and only then `connected` is emitted.
 */
async function* containerdEvents(
  deps: EventStreamDeps,
  options: EventStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  const ending = new AbortController();
  const onAbort = () => ending.abort();
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  let connected = false;
  try {
    const stream = deps.connection.stream(
      { service: eventService, name: "Subscribe" },
      { filters: subscriptionFilters },
      { signal: ending.signal, metadata: inNamespace },
    );
    const marking = new AbortController();
    const marked = publishMarkers(deps, options, AbortSignal.any([marking.signal, ending.signal]));
    // A marker that cannot be published ends the subscription, which then fails with that error.
    marked.catch(() => ending.abort());
    try {
      for await (const envelope of stream as AsyncIterable<WireEnvelope>) {
        if (envelope.topic === markerTopic(options.subscriberId)) {
          if (connected) continue;
          connected = true;
          marking.abort();
          yield { type: "connected" };
        } else if (connected) {
          const event = eventFromEnvelope(envelope);
          if (event) yield event;
        }
      }
    } catch (error) {
      if (!connected && !signal.aborted) await marked;
      assertOrderlyEnd(error, connected || signal.aborted);
    } finally {
      marking.abort();
      stream.cancel();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    ending.abort();
  }
}

/**
 * Publishes the marker until aborted, or until `callTimeoutMs` have passed without receiving the
 * marker.
 */
async function publishMarkers(deps: EventStreamDeps, options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  const giveUpAtMs = deps.clock.monotonicMs() + options.callTimeoutMs;
  const request = { topic: markerTopic(options.subscriberId), event: markerEvent };
  try {
    while (deps.clock.monotonicMs() < giveUpAtMs) {
      await deps.connection.unary({ service: eventService, name: "Publish" }, request, {
        timeoutMs: options.callTimeoutMs,
        metadata: inNamespace,
        signal,
      });
      await deps.clock.sleep(markerPeriodMs, signal);
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  throw new RuntimeError("deadlineExceeded", "the runtime's event stream did not show a published event");
}

/**
 * CRI's stream has no marker, and does not report OOM kills that a container survives. Events
 * between the call and the subscription in the runtime can be missed, which the subscriber's
 * periodic relist covers.
 */
async function* criEvents(deps: EventStreamDeps, signal: AbortSignal): AsyncGenerator<RuntimeEvent> {
  const stream = deps.connection.stream({ service: runtimeService, name: "GetContainerEvents" }, {}, { signal });
  const refused = refusal(stream);
  try {
    const first = await Promise.race([refused, deps.clock.sleep(refusalWaitMs, signal).catch(() => undefined)]);
    if (first) throw first;
    yield { type: "connected" };
    for await (const event of stream as AsyncIterable<WireContainerEvent>) yield* eventsFromCri(event);
  } catch (error) {
    if (error instanceof RuntimeError) throw error;
    assertOrderlyEnd(error, true);
  } finally {
    stream.cancel();
  }
}

/**
 * Resolves with the error when the stream is refused outright, and with undefined once the runtime
 * has accepted it.
 */
function refusal(stream: ClientReadableStream<object>): Promise<RuntimeError | undefined> {
  return new Promise((resolve) => {
    stream.once("error", (error: ServiceError) => resolve(runtimeErrorOf(failureOf(error))));
    stream.once("metadata", () => resolve(undefined));
  });
}

/**
 * An open stream may end in any way: its subscriber relists and subscribes again. A stream that
 * never opened is an error.
 */
function assertOrderlyEnd(error: unknown, orderly: boolean): void {
  const { code } = error as Partial<ServiceError>;
  if (code === undefined) throw error;
  if (!orderly || code === status.UNIMPLEMENTED) throw runtimeErrorOf(failureOf(error as ServiceError));
}
