import type { SimulatedCluster } from "./cluster.ts";
import { parseValue } from "./committed-values.ts";

export interface Wanted<T> {
  matches: (object: T) => boolean;
  withinMs: number;
}

/**
 * Time advances in these steps while waiting. The returned instant is exact, and the virtual time
 * is at most one step behind it.
 */
const stepMs = 100;

/**
 * Advances time until a matching change of the resource is committed, and stops within that step.
 * @throws when such a change is not committed in time.
 */
export async function firstChange<T>(
  cluster: SimulatedCluster,
  resource: string,
  { matches, withinMs }: Wanted<T>,
): Promise<{ object: T; atMs: number }> {
  let found: { object: T; atMs: number } | undefined;
  const stop = cluster.store.subscribe((changes) => {
    for (const { resource: changed, entry } of changes) {
      if (found || changed !== resource) continue;
      const object = parseValue<T>(entry.value);
      if (matches(object)) found = { object, atMs: cluster.clock.nowMs() };
    }
  });
  try {
    const endMs = cluster.nowMs + withinMs;
    while (!found && cluster.nowMs < endMs) await cluster.advance(stepMs);
  } finally {
    stop();
  }
  if (!found) throw new Error(`no such change of ${resource} within ${withinMs} ms`);
  return found;
}
