import type { JsonObject, JsonValue } from "@kintsugi/api";
import type { FieldType } from "../fields/field-type.ts";
import { itemStep } from "../fields/list-item-keys.ts";
import { shapeOf } from "../fields/value-shape.ts";
import { isJsonObject } from "../json-value.ts";

/**
 * `live` with everything that `applied` states, at any depth. The result shares parts of both
 * values, and neither value is changed.
 */
export function mergeApplied(live: JsonValue | undefined, applied: JsonValue | undefined, as: FieldType): JsonValue {
  if (applied === undefined) return live ?? null;
  if (live === undefined || (isEmpty(live) && isEmpty(applied))) return applied;
  const shape = shapeOf(as, isJsonObject(live) ? applied : undefined);
  switch (shape.kind) {
    case "struct":
      return mergeObjects(live, applied, (key) => shape.fields.get(key));
    case "map":
      return mergeObjects(live, applied, () => shape.values);
    case "list": {
      const lists = { live: Array.isArray(live) ? live : [], applied: Array.isArray(applied) ? applied : [] };
      return mergeLists(lists, as, shape.items);
    }
    case "leaf":
      return applied;
  }
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Null in place of an object does not state anything about its members. */
function mergeObjects(live: JsonValue, applied: JsonValue, typeOf: (key: string) => FieldType | undefined): JsonValue {
  if (!isJsonObject(applied)) return live;
  if (!isJsonObject(live)) return applied;
  const merged: JsonObject = { ...live };
  for (const [key, member] of Object.entries(applied)) {
    const type = typeOf(key);
    if (type !== undefined) merged[key] = mergeApplied(live[key], member, type);
  }
  return merged;
}

interface Lists {
  live: readonly JsonValue[];
  applied: readonly JsonValue[];
}

/**
 * If the live list has several items with one key, the applied items with that key replace all of
 * them.
 */
function mergeLists(lists: Lists, as: FieldType, items: FieldType): JsonValue {
  const stepOf = (item: JsonValue): string => itemStep(item, as, items) ?? "";
  const liveSteps = lists.live.map(stepOf);
  const appliedSteps = lists.applied.map(stepOf);
  const liveByStep = new Map<string, JsonValue | undefined>();
  for (const [index, step] of liveSteps.entries()) {
    liveByStep.set(step, liveByStep.has(step) ? undefined : lists.live[index]);
  }
  const appliedByStep = new Map(appliedSteps.map((step, index) => [step, lists.applied[index]]));
  return orderOf(liveSteps, appliedSteps).map(({ from, index }) => {
    if (from === "live") return lists.live[index] ?? null;
    const step = appliedSteps[index] ?? "";
    return mergeApplied(liveByStep.get(step), appliedByStep.get(step), items);
  });
}

type Taken = { from: "live" | "applied"; index: number };

/**
 * The order of a merged list: items of the applied list keep its order, and items that only the
 * live list has keep their place relative to items of both lists.
 *   live a b c, applied c x a: b c x a
 */
function orderOf(live: readonly string[], applied: readonly string[]): Taken[] {
  const inLive = new Set(live);
  const inApplied = new Set(applied);
  const shared = applied.filter((step) => inLive.has(step));
  const done = new Set<string>();
  const order: Taken[] = [];
  const takeApplied = (index: number): void => {
    const step = applied[index] ?? "";
    order.push({ from: "applied", index });
    done.add(step);
    if (shared[0] === step) shared.shift();
  };
  let l = 0;
  let a = 0;
  while (l < live.length || a < applied.length) {
    const mine = live[l];
    if (mine !== undefined && !inApplied.has(mine)) {
      order.push({ from: "live", index: l++ });
    } else if (mine !== undefined && (done.has(mine) || a === applied.length)) {
      l++;
    } else if (mine !== undefined && mine !== applied[a] && shared[0] !== undefined && shared[0] !== mine) {
      // Both lists have the item, but the result has the item at a later position.
      l++;
    } else {
      if (mine === applied[a]) l++;
      takeApplied(a++);
    }
  }
  return order;
}
