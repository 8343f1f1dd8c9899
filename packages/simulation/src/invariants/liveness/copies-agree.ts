import type { ApiObject } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { storeResource } from "../../committed-values.ts";
import type { Copy } from "../../instruments/copies.ts";

/**
 * The time after the last fault within which a follower has to detect a loss, and to read again.
 */
const settleMs = 30_000;
/** A cache may be stale for this time, because the bus's next mark reveals a lost change. */
const behindMs = 10_000;

/**
 * The differences at the last comparison: by store key, the revision that the cache lacked; "gone"
 * for an object that the store no longer had.
 */
type Lack = ReadonlyMap<string, number | "gone">;

/** The contents of a cache and of the store when they were last compared. */
interface Comparison {
  readonly lack: Lack;
  readonly listed: readonly ApiObject[];
  readonly version: number;
}

/** Every cache agrees with the store, and no process acts on a wrong cache for long. */
export function copiesAgree({ quietPeriod, clock, known, copies }: InvariantContext): Invariant {
  let comparedMs = 0;
  let comparisons = new Map<Copy, Comparison>();

  return {
    name: "copies-agree",
    never: "in a quiet period, an informer that lacks a change, or has a deleted object, for more than 10 s",
    tick(check) {
      const nowMs = clock.monotonicMs();
      if (nowMs - comparedMs <= behindMs) return;
      const isSettled = quietPeriod.forMs > settleMs + behindMs;
      const before = comparisons;
      comparedMs = nowMs;
      comparisons = new Map();
      for (const copy of copies()) {
        if (!isComparable(copy) || quietPeriod.lostNodes.has(copy.owner)) continue;
        const since = before.get(copy);
        const comparison = compare(copy, since);
        comparisons.set(copy, comparison);
        if (isSettled && since) check(stillLacking(copy, since.lack, comparison.lack));
      }
    },
  };

  /** Usually neither side has changed since the last comparison. */
  function compare(copy: Copy, last: Comparison | undefined): Comparison {
    const listed = copy.informer.list();
    const version = known.versionOf(storeResource(copy.informer.type));
    if (last?.version === version && last.listed === listed) return last;
    return { lack: lackOf(copy, listed), listed, version };
  }

  function lackOf({ informer, options }: Copy, listed: readonly ApiObject[]): Lack {
    const prefix = `${storeResource(informer.type)}/`;
    const had = new Map(listed.map((object) => [prefix + placeOf(object), revisionOf(object)]));
    const lack = new Map<string, number | "gone">();
    for (const { key, revision, index, value } of known.entriesOf(prefix)) {
      const [, , namespace, name] = key.split("/");
      if (options.namespace !== undefined && options.namespace !== namespace) continue;
      if (options.name !== undefined && options.name !== name) continue;
      const node = informer.type.resource === "nodes" ? name : index.fields?.["spec.nodeName"];
      if (options.nodeName !== undefined && options.nodeName !== node) continue;
      if (options.keeps && !had.has(key) && !options.keeps(objectOf(value))) continue;
      if ((had.get(key) ?? 0) < revision) lack.set(key, revision);
      had.delete(key);
    }
    for (const key of had.keys()) lack.set(key, "gone");
    return lack;
  }
}

/** Leases change all the time, and objects selected by label would have to be selected again. */
function isComparable({ informer, options }: Copy): boolean {
  return options.labelSelector === undefined && informer.type.resource !== "leases";
}

/**
 * Returns a difference that already existed at the last comparison, because a newer change of the
 * same object may be in flight.
 */
function stillLacking({ owner, informer }: Copy, before: Lack, now: Lack): string | undefined {
  for (const [key, was] of before) {
    if (now.get(key) !== was) continue;
    const what = was === "gone" ? `has ${key}, which is deleted` : `lacks ${key}@${was}`;
    return `the cache of ${informer.type.resource} of ${owner} ${what}`;
  }
  return undefined;
}

function objectOf(value: Uint8Array): ApiObject {
  return JSON.parse(new TextDecoder().decode(value)) as ApiObject;
}

function placeOf({ metadata }: ApiObject): string {
  return `${metadata.namespace || "_"}/${metadata.name ?? ""}`;
}

function revisionOf({ metadata }: ApiObject): number {
  return Number(metadata.resourceVersion ?? 0);
}
