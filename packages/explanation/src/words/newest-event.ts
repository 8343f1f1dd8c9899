import { instantOf, type Event } from "@kintsugi/api";
import type { ExplainedObject } from "../explanation.ts";
import { listOf, type World } from "../world.ts";

/** The newest event about the object that has one of these reasons, and whose text matches. */
export function newestEvent(
  world: World,
  { kind, namespace, name }: ExplainedObject,
  desired: { reasons: readonly string[]; pattern?: RegExp },
): Event | undefined {
  return listOf(world, "events")
    .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name)
    .filter(({ involvedObject }) => (involvedObject.namespace ?? "") === namespace)
    .filter(
      ({ reason = "", message = "" }) => desired.reasons.includes(reason) && (desired.pattern?.test(message) ?? true),
    )
    .toSorted((a, b) => timeOf(b) - timeOf(a))[0];
}

/** The last time at which the event happened; 0 if the event has no time. */
export function timeOf({ lastTimestamp, series, eventTime, firstTimestamp, metadata }: Event): number {
  const times = [series?.lastObservedTime, lastTimestamp, eventTime, firstTimestamp, metadata.creationTimestamp];
  return times.map(instantOf).find((time) => time !== undefined) ?? 0;
}
