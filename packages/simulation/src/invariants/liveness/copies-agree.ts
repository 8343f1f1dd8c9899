import type { ApiObject } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { storeResource } from "../../reading.ts";
import type { Copy } from "../../instruments/copies.ts";

/** The time after the last fault in which a follower has to notice a loss, and to read again. */
const settleMs = 30_000;
/** A copy may be behind for this long: the bus's next mark reveals a change that was lost. */
const behindMs = 10_000;

/**
 * The objects in which a copy differed when it was last compared: by store key, the revision that
 * it lacked; "gone" for an object that it had too much.
 */
type Lack = ReadonlyMap<string, number | "gone">;

/** The contents of a copy and of the store when they were last compared. */
interface Comparison {
  readonly lack: Lack;
  readonly listed: readonly ApiObject[];
  readonly version: number;
}

/** Every copy is the store's, and no process acts on a wrong one for long. */
export function copiesAgree({ quietPeriod, clock, known, copies }: InvariantContext): Invariant {
  let comparedMs = 0;
  let comparisons = new Map<Copy, Comparison>();

  return {
    name: "copies-agree",
    never: "in a quiet period, an informer that lacks a change, or has an object that is gone, for more than 10 s",
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

  /** Mostly nothing has changed on either side since it was last compared. */
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

/** Leases change all the time, and objects chosen by label would have to be chosen once more. */
function isComparable({ informer, options }: Copy): boolean {
  return options.labelSelector === undefined && informer.type.resource !== "leases";
}

/**
 * Returns a difference that existed already when it was last compared: a newer change of the same
 * object may be under way.
 */
function stillLacking({ owner, informer }: Copy, before: Lack, now: Lack): string | undefined {
  for (const [key, was] of before) {
    if (now.get(key) !== was) continue;
    const what = was === "gone" ? `has ${key}, which is gone` : `has not heard of ${key}@${was}`;
    return `the copy of ${informer.type.resource} of ${owner} ${what}`;
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
