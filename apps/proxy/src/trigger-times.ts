import { type EndpointSlice, formatKey, keyOf, parseTimestamp, triggerTimeAnnotation } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";

/**
 * Records the times of changes that are not in the rules yet: one entry per slice that has changed
 * since the last sync.
 */
export class TriggerTimes {
  readonly #startedMs: number;
  readonly #waiting = new Map<string, number>();

  /** Changes before `startedMs` (wall time) do not measure this process. */
  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  note(change: InformerChange<EndpointSlice>): void {
    const key = formatKey(keyOf(change.object));
    if (change.type === "deleted") {
      this.#waiting.delete(key);
      return;
    }
    const triggeredMs = triggerTimeOf(change);
    // The first of several changes has waited longest.
    if (triggeredMs !== undefined && triggeredMs >= this.#startedMs && !this.#waiting.has(key))
      this.#waiting.set(key, triggeredMs);
  }

  /** Removes the times, because the changes no longer wait. */
  take(): number[] {
    const waited = [...this.#waiting.values()];
    this.#waiting.clear();
    return waited;
  }
}

/** Undefined when the change has the same time as before. */
function triggerTimeOf(change: InformerChange<EndpointSlice>): number | undefined {
  const of = ({ metadata }: EndpointSlice) => metadata.annotations?.[triggerTimeAnnotation];
  const text = of(change.object);
  if (text === undefined || (change.type === "modified" && of(change.before) === text)) return undefined;
  try {
    return parseTimestamp(text);
  } catch {
    // A client that writes slices manually may write any text there.
    return undefined;
  }
}
