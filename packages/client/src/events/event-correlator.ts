import type { Event } from "@kintsugi/api";
import { LruMap } from "@kintsugi/clock";
import { EventSpamFilter } from "./event-spam-filter.ts";

/** The largest number of keys per table, as in client-go's EventCorrelator. */
const keysMax = 4096;
/** Events that differ only in their messages are combined from this number on. */
const similarMax = 10;
/** Similar events further apart than this are not combined. */
const similarIntervalMs = 600_000;

/** The action to take for an event. */
export type Correlated =
  | { send: "create"; event: Event }
  /** The event was sent before, so only its count, time and message change. */
  | { send: "patch"; event: Event }
  /** The event's object has had too many events. */
  | { send: "nothing" };

interface Similar {
  messages: Set<string>;
  lastMs: number;
}

interface Observation {
  name: string;
  count: number;
  firstTimestamp: string | undefined;
}

/**
 * Reduces a flood of events to a few (client-go tools/record). A repeated event increments its
 * count, many events that differ only in their message are combined, and some events of an object
 * that has too many are dropped.
 */
export class EventCorrelator {
  readonly #similar = new LruMap<string, Similar>(keysMax);
  readonly #observations = new LruMap<string, Observation>(keysMax);
  readonly #spam = new EventSpamFilter(keysMax);

  /**
   * `nowMs` is monotonic. The event's own times do not change, however long the event has waited.
   */
  correlate(event: Event, nowMs: number): Correlated {
    const aggregated = this.#aggregate(event, nowMs);
    const observation = this.#observations.get(aggregated.key);
    const counted = observation === undefined ? aggregated.event : countedUp(aggregated.event, observation);
    this.#remember(aggregated.key, counted);
    if (!this.#spam.admits(sourceAndObjectKey(event), nowMs)) return { send: "nothing" };
    return { send: observation === undefined ? "create" : "patch", event: counted };
  }

  #aggregate(event: Event, nowMs: number): { event: Event; key: string } {
    const similarKey = keyOf(event, event.type, event.reason, event.reportingComponent, event.reportingInstance);
    const known = this.#similar.get(similarKey);
    const similar: Similar =
      known === undefined || nowMs - known.lastMs > similarIntervalMs ? { messages: new Set(), lastMs: nowMs } : known;
    similar.messages.add(event.message ?? "");
    similar.lastMs = nowMs;
    this.#similar.set(similarKey, similar);
    if (similar.messages.size < similarMax) return { event, key: `${similarKey}\n${event.message}` };
    // The oldest entry is removed, so that the set does not exceed its limit.
    for (const message of similar.messages) {
      similar.messages.delete(message);
      break;
    }
    return { event: { ...event, message: `(combined from similar events): ${event.message}` }, key: similarKey };
  }

  #remember(key: string, event: Event): void {
    const { firstTimestamp, count } = event;
    this.#observations.set(key, { name: event.metadata.name ?? "", count: count ?? 1, firstTimestamp });
  }
}

function countedUp(event: Event, observation: Observation): Event {
  return {
    ...event,
    metadata: { ...event.metadata, name: observation.name },
    count: observation.count + 1,
    firstTimestamp: observation.firstTimestamp,
  };
}

function keyOf(event: Event, ...more: readonly (string | undefined)[]): string {
  return [sourceAndObjectKey(event), ...more].join("\n");
}

function sourceAndObjectKey({ source, involvedObject }: Event): string {
  const { kind, namespace, name, uid, apiVersion, fieldPath } = involvedObject;
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion, fieldPath].join("\n");
}
