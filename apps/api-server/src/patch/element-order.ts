import type { JsonValue } from "@kintsugi/api";

/**
 * Returns the identity of an element of a merged list: its merge key's value, or the primitive
 * itself.
 */
export type ElementKey = (element: JsonValue) => JsonValue;

export interface ElementOrders {
  /** The order that the patch states. */
  readonly patch: readonly JsonValue[];
  /** The order of the list before the patch. */
  readonly server: readonly JsonValue[];
}

/**
 * Orders a merged list as upstream does: elements that the patch names are in the patch's order,
 * other elements keep their order, and each of these other elements precedes the first patched
 * element that it preceded on the server.
 *
 *     server a b c d, patch names d b, merged {a b c d}  →  a c d b
 */
export function orderElements(merged: readonly JsonValue[], orders: ElementOrders, keyOf: ElementKey): JsonValue[] {
  const patchRank = rankElements(orders.patch, keyOf);
  const serverRank = rankElements(orders.server, keyOf);
  const patched = merged.filter((element) => patchRank.has(keyOf(element)));
  const serverOnly = merged.filter((element) => !patchRank.has(keyOf(element)));
  const rankedKey = (element: JsonValue) => serverRank.get(keyOf(element));
  return interleave(sortByRank(serverOnly, serverRank, keyOf), sortByRank(patched, patchRank, keyOf), rankedKey);
}

/** The first position of every key. */
export function rankElements(elements: readonly JsonValue[], keyOf: ElementKey): Map<JsonValue, number> {
  const ranks = new Map<JsonValue, number>();
  for (const [index, element] of elements.entries()) {
    const key = keyOf(element);
    if (!ranks.has(key)) {
      ranks.set(key, index);
    }
  }
  return ranks;
}

function sortByRank(elements: JsonValue[], ranks: ReadonlyMap<JsonValue, number>, keyOf: ElementKey): JsonValue[] {
  const rank = (element: JsonValue) => ranks.get(keyOf(element)) ?? ranks.size;
  return elements.toSorted((left, right) => rank(left) - rank(right));
}

function interleave(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  serverRank: (element: JsonValue) => number | undefined,
): JsonValue[] {
  const result: JsonValue[] = [];
  let next = 0;
  for (const patched of right) {
    const patchedRank = serverRank(patched);
    while (next < left.length) {
      const candidate = left[next] ?? null;
      const candidateRank = serverRank(candidate);
      if (candidateRank === undefined || patchedRank === undefined || candidateRank >= patchedRank) {
        break;
      }
      result.push(candidate);
      next += 1;
    }
    result.push(patched);
  }
  return [...result, ...left.slice(next)];
}
