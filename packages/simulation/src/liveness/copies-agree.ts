import type { ApiObject } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Calm } from "../calm.ts";
import type { InvariantContext } from "../invariants/invariant-list.ts";
import type { Check, Invariant } from "../invariants/invariant.ts";
import type { Known } from "../invariants/known.ts";
import type { Copy } from "./copies.ts";

/** After the last fault: for whoever has to notice that something was lost, and to read it again. */
const settleMs = 30_000;
/** How far a copy may be behind: the bus's next mark tells of a change that was lost. */
const behindMs = 10_000;

/** What a copy had not heard of when it was last compared: by store key, the revision that it lacked; "gone" for what it had too much. */
type Lack = Map<string, number | "gone">;

/** L1: every copy is the store's, and nobody believes for long what is not so. */
export class CopiesAgree implements Invariant {
  readonly name = "L1";
  readonly never = "in calm, an informer that lacks a change, or has an object that is gone, for more than 10 s";
  readonly #calm: Calm;
  readonly #clock: Clock;
  readonly #known: Known;
  readonly #copies: () => Iterable<Copy>;
  #comparedMs = 0;
  #lacks = new Map<Copy, Lack>();

  constructor({ calm, clock, known, copies }: InvariantContext) {
    this.#calm = calm;
    this.#clock = clock;
    this.#known = known;
    this.#copies = copies;
  }

  tick(check: Check): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#comparedMs <= behindMs) return;
    const isSettled = this.#calm.forMs > settleMs + behindMs;
    const before = this.#lacks;
    this.#comparedMs = nowMs;
    this.#lacks = new Map();
    for (const copy of this.#copies()) {
      if (!isComparable(copy) || this.#calm.lostNodes.has(copy.owner)) continue;
      const lack = this.#compare(copy);
      this.#lacks.set(copy, lack);
      const since = before.get(copy);
      if (isSettled && since) check(stillLacking(copy, since, lack));
    }
  }

  #compare({ informer, options }: Copy): Lack {
    const { group, resource } = informer.type;
    const prefix = `${group || "core"}/${resource}/`;
    const had = new Map(informer.list().map((object) => [prefix + placeOf(object), revisionOf(object)]));
    const lack: Lack = new Map();
    for (const { key, revision, index } of this.#known.entriesOf(prefix)) {
      const [, , namespace, name] = key.split("/");
      if (options.namespace !== undefined && options.namespace !== namespace) continue;
      if (options.name !== undefined && options.name !== name) continue;
      const node = resource === "nodes" ? name : index.fields?.["spec.nodeName"];
      if (options.nodeName !== undefined && options.nodeName !== node) continue;
      if ((had.get(key) ?? 0) < revision) lack.set(key, revision);
      had.delete(key);
    }
    for (const key of had.keys()) lack.set(key, "gone");
    return lack;
  }
}

/** Leases change all the time, and what is chosen by label would have to be chosen once more. */
function isComparable({ informer, options }: Copy): boolean {
  return options.labelSelector === undefined && informer.type.resource !== "leases";
}

/** What it lacked already when it was last compared: a newer change of the same object may be under way. */
function stillLacking({ owner, informer }: Copy, before: Lack, now: Lack): string | undefined {
  for (const [key, was] of before) {
    const is = now.get(key);
    if (is === undefined || (was !== is && (was === "gone" || is === "gone"))) continue;
    if (was === is) {
      const what = was === "gone" ? `has ${key}, which is gone` : `has not heard of ${key}@${was}`;
      return `the copy of ${informer.type.resource} of ${owner} ${what}`;
    }
  }
  return undefined;
}

function placeOf({ metadata }: ApiObject): string {
  return `${metadata.namespace || "_"}/${metadata.name ?? ""}`;
}

function revisionOf({ metadata }: ApiObject): number {
  return Number(metadata.resourceVersion ?? 0);
}
