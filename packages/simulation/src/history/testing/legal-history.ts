import { SeededRandom } from "@kintsugi/clock/simulated";
import { CommitLog } from "../commit-log.ts";
import type {
  Call,
  Commit,
  History,
  ListCall,
  Outcome,
  Precondition,
  Value,
  Verb,
  WatchEnd,
  WatchFrame,
} from "../history.ts";
import { Journal } from "../journal.ts";

/** A client in the middle of an operation: returns its next step, for its next turn. */
type Step = () => Step | undefined;

const keys = ["core/configmaps/load/a", "core/configmaps/load/b", "core/configmaps/load/c"];
const counter = "core/configmaps/load/n";
const colors = ["red", "blue"];
const prefix = "core/configmaps/load/";

/** Returns the clients' observations of a correct API server, in an order drawn from the seed. */
export function legalHistory(seed: number, steps = 150): History {
  const model = new Model(new SeededRandom(seed));
  model.run(steps);
  return model.journal.history();
}

class Model {
  readonly journal: Journal;
  readonly #random: SeededRandom;
  readonly #commits: Commit[] = [];
  #nowMs = 0;
  #value = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.journal = new Journal({ nowMs: () => this.#nowMs });
  }

  run(steps: number): void {
    const clients = ["one", "two", "three", "four"];
    const current = new Map<string, Step | undefined>();
    const first = { ...this.#call("one", "create", counter), asked: { count: "0" } };
    this.#finish(this.#answer(first, this.#apply(first)));
    for (let step = 0; step < steps; step++) {
      this.#nowMs += this.#random.integer(3);
      const client = this.#pick(clients);
      const next = current.get(client) ?? this.#begin(client);
      current.set(client, next());
    }
    for (const step of current.values()) this.#finish(step);
    for (const commit of this.#commits) this.journal.add(commit);
    const log = new CommitLog(this.#commits);
    for (const key of [...keys, counter]) {
      const item = log.itemsAt(Infinity, key)[0];
      this.journal.add({ kind: "final", key, ...(item && { item }) });
    }
  }

  #finish(step: Step | undefined): void {
    for (let next = step; next; next = next());
  }

  #begin(client: string): Step {
    const key = this.#pick(keys);
    const roll = this.#random.integer(12);
    if (roll < 2) return this.#get(client, key);
    if (roll < 4) return this.#list(client);
    if (roll < 6) return this.#watch(client);
    if (roll < 8) return this.#increment(client);
    const verb = this.#pick<Verb>(["create", "update", "update", "patch", "delete"]);
    const precondition = this.#random.integer(2) === 0 ? this.#precondition(key) : undefined;
    const asked = verb === "delete" ? undefined : this.#newValue(verb);
    return this.#write(client, verb, key, {
      ...(asked && { asked }),
      ...(precondition && verb !== "create" && { precondition }),
    });
  }

  #precondition(key: string): Precondition {
    const ofKey = this.#commits.filter((commit) => commit.key === key);
    return { revision: ofKey.at(-1 - this.#random.integer(2))?.revision ?? 1 };
  }

  #newValue(verb: Verb): Value {
    const v = String(++this.#value);
    return verb === "patch" ? { v } : { v, color: this.#pick(colors) };
  }

  #current(key: string): Commit | undefined {
    const last = this.#commits.findLast((commit) => commit.key === key);
    return last?.type === "put" ? last : undefined;
  }

  #get(client: string, key: string): Step {
    const call = this.#call(client, "get", key);
    return () => {
      const { revision, value } = this.#current(key) ?? {};
      const outcome: Outcome =
        revision === undefined
          ? { is: "refused", status: 404, reason: "NotFound" }
          : { is: "ok", revision, ...(value && { value }) };
      return this.#answer(call, outcome);
    };
  }

  #write(client: string, verb: Verb, key: string, rest: Partial<Call>): Step {
    const call = { ...this.#call(client, verb, key), ...rest };
    return () => {
      // The request is lost, the response is lost, or both arrive.
      const roll = this.#random.integer(10);
      const unknown: Outcome = { is: "unknown", because: "connection reset" };
      if (roll === 0) return this.#answer(call, unknown);
      if (roll > 2) return this.#answer(call, this.#apply(call));
      // The call's client has given up long before the call takes effect.
      this.#answer(call, unknown)();
      return () => void this.#apply(call) as undefined;
    };
  }

  #apply({ verb, key, asked, precondition }: Call): Outcome {
    const before = this.#current(key);
    if (verb === "create" && before) return { is: "refused", status: 409, reason: "AlreadyExists" };
    if (verb !== "create" && !before) return { is: "refused", status: 404, reason: "NotFound" };
    if (precondition && precondition.revision !== before?.revision)
      return { is: "refused", status: 409, reason: "Conflict" };
    const revision = (this.#commits.at(-1)?.revision ?? 0) + 1 + this.#random.integer(2);
    const value =
      verb === "delete" ? (before?.value ?? {}) : verb === "patch" ? { ...before?.value, ...asked } : (asked ?? {});
    const atMs = this.journal.stamp();
    this.#commits.push({ kind: "commit", revision, type: verb === "delete" ? "delete" : "put", key, value, atMs });
    return verb === "delete" ? { is: "ok" } : { is: "ok", revision, value };
  }

  #increment(client: string): Step {
    const get = this.#call(client, "get", counter);
    return () => {
      const { revision = 0, value = {} } = this.#current(counter) ?? {};
      return () => {
        this.#answer(get, { is: "ok", revision, value })();
        const asked = { count: String(Number(value["count"]) + 1) };
        return this.#write(client, "update", counter, { asked, precondition: { revision }, increments: "count" });
      };
    };
  }

  #list(client: string): Step {
    const list = { kind: "list" as const, client, id: this.journal.nextId(), prefix, startMs: this.journal.stamp() };
    const selector = this.#random.integer(3) === 0 ? { color: this.#pick(colors) } : undefined;
    const limit = 1 + this.#random.integer(3);
    let revision: number | undefined;
    const pages: ListCall["pages"][number][] = [];
    const step = (): Step | undefined => {
      const startMs = this.journal.stamp();
      revision ??= this.#commits.at(-1)?.revision ?? 0;
      const all = new CommitLog(this.#commits).itemsAt(revision, prefix, selector);
      const after = pages.length * limit;
      pages.push({ revision, items: all.slice(after, after + limit), startMs, endMs: this.journal.stamp() });
      const failed = this.#random.integer(8) === 0;
      if (after + limit < all.length && !failed) return step;
      const outcome =
        after + limit < all.length
          ? ({ is: "refused", status: 410, reason: "Expired" } as const)
          : ({ is: "ok" } as const);
      this.journal.add({ ...list, ...(selector && { selector }), pages, endMs: this.journal.stamp(), outcome });
      return undefined;
    };
    return step;
  }

  #watch(client: string): Step {
    const startMs = this.journal.stamp();
    const head = this.#commits.at(-1)?.revision ?? 0;
    const fromRevision = Math.max(1, head - 5 + this.#random.integer(7));
    const selector = this.#random.integer(3) === 0 ? { color: this.#pick(colors) } : undefined;
    const watch = {
      kind: "watch" as const,
      client,
      id: this.journal.nextId(),
      prefix,
      fromRevision,
      startMs,
      ...(selector && { selector }),
    };
    const frames: WatchFrame[] = [];
    const end = (how: WatchEnd): undefined =>
      this.journal.add({ ...watch, frames, end: how, endMs: this.journal.stamp() }) as undefined;
    if (fromRevision > head) return () => end("ahead");
    let position = fromRevision;
    const step = (): Step | undefined => {
      const log = new CommitLog(this.#commits);
      const commit = log.between(position, Infinity)[0];
      position = commit?.revision ?? position;
      const event = commit && log.eventOf(commit, prefix, selector);
      if (event) frames.push({ ...event, atMs: this.journal.stamp() });
      else if (this.#random.integer(2) === 0)
        frames.push({ type: "BOOKMARK", revision: position, atMs: this.journal.stamp() });
      return this.#random.integer(12) === 0 ? end(this.#pick<WatchEnd>(["closed", "broken"])) : step;
    };
    let turns = 0;
    const bounded = (): Step | undefined => (++turns > 200 ? end("closed") : step() && bounded);
    return bounded;
  }

  #call(client: string, verb: Verb, key: string): Call {
    const startMs = this.journal.stamp();
    return {
      kind: "call",
      client,
      id: this.journal.nextId(),
      verb,
      key,
      startMs,
      endMs: startMs,
      outcome: { is: "ok" },
    };
  }

  #answer(call: Call, outcome: Outcome): Step {
    return () => {
      const endMs = outcome.is === "unknown" ? Infinity : this.journal.stamp();
      this.journal.add({ ...call, endMs, outcome });
      return undefined;
    };
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#random.integer(choices.length)] as T;
  }
}
