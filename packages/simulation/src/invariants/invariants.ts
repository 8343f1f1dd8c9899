import type { ApiObject, TimerProfile } from "@kintsugi/api";
import { profiles } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange, Store } from "@kintsugi/store";
import type { Check, Invariant, Seen, Violation } from "./invariant.ts";
import { invariantList } from "./invariant-list.ts";
import { isParsed, Known, parsedKinds, parseEntry, type ParsedResource } from "./known.ts";

export interface InvariantsDeps {
  store: Pick<Store, "revision" | "subscribe">;
  clock: Clock;
  /** Has to end the cluster: one that writes in a circle would never let go. */
  onViolation: () => void;
}

export interface InvariantsOptions {
  /** The timers that the cluster runs with. Default: those of the profile "fast". */
  timers?: TimerProfile;
  /** Looks only at those of these names. Default: all. Where a log is read afterwards, nobody knows when what happened. */
  only?: readonly string[];
}

/** Looks at every committed change and remembers the first that no cluster may ever commit. */
export class Invariants {
  readonly #deps: InvariantsDeps;
  readonly #known = new Known();
  readonly #watched: readonly Watched[];
  #violation: Violation | undefined;

  constructor(deps: InvariantsDeps, options: InvariantsOptions = {}) {
    this.#deps = deps;
    const { clock, store } = deps;
    const context = { clock, known: this.#known, timers: options.timers ?? profiles.fast, revision: store.revision() };
    this.#watched = invariantList
      .map((make) => make(context))
      .filter(({ name }) => options.only?.includes(name) ?? true)
      .map((invariant) => new Watched(invariant, (...broken) => this.#break(...broken)));
    store.subscribe((changes) => {
      for (const change of changes) this.#look(change);
    });
  }

  /** How many single checks were made. */
  get checks(): number {
    return this.#watched.reduce((sum, { checks }) => sum + checks, 0);
  }

  /** How often each invariant was checked, by name; one with 0 has seen nothing that it applies to. */
  get checksByName(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { invariant, checks } of this.#watched) counts[invariant.name] = (counts[invariant.name] ?? 0) + checks;
    return counts;
  }

  get violation(): Violation | undefined {
    return this.#violation;
  }

  #look(change: CommittedChange): void {
    this.#known.moveTo(this.#deps.clock.monotonicMs());
    for (const watched of this.#watched) watched.revision = change.revision;
    for (const { invariant, check } of this.#watched) invariant.change?.(change, check);
    if (isParsed(change.resource)) this.#lookAtObject(change.resource, change);
  }

  #lookAtObject(resource: ParsedResource, change: CommittedChange): void {
    const { known, method } = parsedKinds[resource];
    const objects = this.#known[known] as Map<string, ApiObject>;
    const { key, value } = change.entry;
    const object = parseEntry(value);
    const before = objects.get(key) ?? (change.before && parseEntry(change.before.value));
    if (change.type === "delete") objects.delete(key);
    else objects.set(key, object);
    const seen: Seen<ApiObject> = { type: change.type, change, object, before };
    for (const { invariant, check } of this.#watched) (invariant as Looks)[method]?.(seen, check);
  }

  #break(invariant: string, message: string, revision: number): void {
    if (this.#violation !== undefined) return;
    this.#violation = { invariant, message, revision, atMs: this.#deps.clock.monotonicMs() };
    this.#deps.onViolation();
  }
}

/** An invariant's methods, each for the kind that `parsedKinds` names beside it. */
type Looks = Partial<
  Record<(typeof parsedKinds)[ParsedResource]["method"], (seen: Seen<ApiObject>, check: Check) => void>
>;

/** One invariant and how often it was checked. */
class Watched {
  readonly invariant: Invariant;
  readonly check: Check;
  checks = 0;
  /** The change that is being looked at. */
  revision = 0;

  constructor(invariant: Invariant, onBroken: (name: string, message: string, revision: number) => void) {
    this.invariant = invariant;
    this.check = (broken) => {
      this.checks++;
      if (broken !== undefined) onBroken(invariant.name, broken, this.revision);
    };
  }
}
