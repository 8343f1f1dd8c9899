import {
  type ApiObject,
  type Event,
  events,
  formatTimestamp,
  type Node,
  nodes,
  parseTimestamp,
  type Pod,
  pods,
} from "@kintsugi/api";

/** The time of a source without times. */
const defaultMs = parseTimestamp("2026-01-01T00:00:00Z");
/** A time that is this much later than half of the other times indicates a wrong clock. */
const aheadMaxMs = 3_600_000;

export interface TakenAt {
  readonly takenAtMs: number;
  readonly notes: readonly string[];
}

/**
 * Finds the time at which a source was taken: the newest of its own times, without the times of
 * clocks that are far ahead. The machine's clock is not read, so that the result for a dump does
 * not change over time.
 */
export function takenAt(objects: ReadonlyMap<string, readonly ApiObject[]>): TakenAt {
  const times = timesIn(objects).toSorted((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  if (median === undefined) return { takenAtMs: defaultMs, notes: [] };
  const heartbeats = heartbeatsIn(objects).toSorted((a, b) => a - b);
  const reference = heartbeats[Math.floor(heartbeats.length / 2)] ?? median;
  const plausible = times.filter((time) => time <= reference + aheadMaxMs);
  const ahead = times.length - plausible.length;
  const takenAtMs = Math.ceil((plausible.at(-1) ?? reference) / 1000) * 1000;
  const note = `${ahead} times in the source are later than ${formatTimestamp(reference + aheadMaxMs)}, an hour after the times of its nodes: a clock is wrong, and ${formatTimestamp(takenAtMs)} is used instead`;
  return { takenAtMs, notes: ahead > 0 ? [note] : [] };
}

function heartbeatsIn(objects: ReadonlyMap<string, readonly ApiObject[]>): number[] {
  return ((objects.get(nodes.resource) ?? []) as readonly Node[]).flatMap(({ status }) =>
    (status?.conditions ?? []).flatMap(({ lastHeartbeatTime }) => known(lastHeartbeatTime)),
  );
}

function timesIn(objects: ReadonlyMap<string, readonly ApiObject[]>): number[] {
  const ofEvents = ((objects.get(events.resource) ?? []) as readonly Event[]).flatMap(({ lastTimestamp }) =>
    known(lastTimestamp),
  );
  const ofPods = ((objects.get(pods.resource) ?? []) as readonly Pod[]).flatMap(({ metadata, status }) => [
    ...known(metadata.creationTimestamp),
    ...(status?.conditions ?? []).flatMap(({ lastTransitionTime }) => known(lastTransitionTime)),
  ]);
  return [...heartbeatsIn(objects), ...ofEvents, ...ofPods];
}

function known(text: string | null | undefined): number[] {
  const ms = text === undefined || text === null ? Number.NaN : parseTimestamp(text);
  return ms !== undefined && Number.isFinite(ms) ? [ms] : [];
}
