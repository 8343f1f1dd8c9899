import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, RevisionExpired } from "../store.ts";
import { dataOf, deleteKey, putData, putOf } from "../testing/changes.ts";
import { SimulatedDisk } from "../simulated/simulated-disk.ts";
import { LevelStore } from "./level-store.ts";

// The store compared with the simplest correct model: a list of all changes ever made.

interface Change {
  key: string;
  /** Undefined for a delete. */
  data: string | undefined;
}

class Model {
  readonly changes: Change[] = [];
  /** The history up to this index may no longer exist. */
  floor = 0;

  at(revision: number): [string, string, number][] {
    const state = new Map<string, [string, number]>();
    for (const [i, { key, data }] of this.changes.slice(0, revision).entries()) {
      if (data === undefined) state.delete(key);
      else state.set(key, [data, i + 1]);
    }
    return [...state]
      .map(([key, [data, at]]): [string, string, number] => [key, data, at])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  since(resource: string, revision: number): [number, string, string | undefined][] {
    return this.changes.flatMap(({ key, data }, i): [number, string, string | undefined][] =>
      i + 1 > revision && key.startsWith(`${resource}/`) ? [[i + 1, key, data]] : [],
    );
  }
}

const key = fc.constantFrom(
  "core/pods/a/1",
  "core/pods/a/2",
  "core/pods/b/1",
  "core/nodes/_/n",
  "apps/replicasets/a/r",
);
const prefix = fc.constantFrom("", "core/", "core/pods/", "core/pods/a/", "core/nodes/", "apps/replicasets/");
const resource = fc.constantFrom("core/pods", "core/nodes", "apps/replicasets");
const data = fc.string({ maxLength: 8 });
const part = fc.double({ min: 0, max: 1, noNaN: true });

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), key, data }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("batch" as const), puts: fc.array(fc.tuple(key, data), { maxLength: 5 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("list" as const), prefix, part, limit: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("watch" as const), resource, part }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), wait: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const), killed: fc.boolean() }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

const windowMs = 1000;

class Subject {
  readonly #clock = new VirtualClock();
  #disk = new SimulatedDisk({ random: new SeededRandom(1) });
  store!: LevelStore;

  async open(): Promise<void> {
    const options = { windowMs, windowEventsMin: 0, ballastBytes: 0 };
    this.store = await LevelStore.openOn(this.#disk, { clock: this.#clock, random: new SeededRandom(2) }, options);
  }

  async reopen(killed: boolean): Promise<void> {
    if (!killed) await this.store.close();
    this.#disk = this.#disk.afterKill();
    await this.open();
  }

  async passWindow(): Promise<void> {
    await this.#clock.advance(windowMs);
  }
}

async function apply(step: Command, subject: Subject, model: Model): Promise<void> {
  const { store } = subject;
  switch (step.do) {
    case "put":
      await putData(store, step.key, step.data);
      model.changes.push({ key: step.key, data: step.data });
      return;
    case "delete":
      if (!store.find(step.key)) return;
      await deleteKey(store, step.key);
      model.changes.push({ key: step.key, data: undefined });
      return;
    case "batch":
      await Promise.all(step.puts.map(([at, value]) => store.update(at, () => putOf(at, value))));
      for (const [at, value] of step.puts) model.changes.push({ key: at, data: value });
      return;
    case "list":
      return checkList(step, store, model);
    case "watch":
      return checkWatch(step, store, model);
    case "compact":
      if (step.wait) {
        await subject.passWindow();
        // Changes older than the window may be dropped with the next change.
        model.floor = model.changes.length;
      }
      await store.compact();
      return;
    case "reopen":
      await subject.reopen(step.killed);
  }
}

function checkList(step: { prefix: string; part: number; limit: number }, store: LevelStore, model: Model): void {
  const revision = Math.floor(step.part * (model.changes.length + 1) * 0.999);
  const expected = model.at(revision).filter(([at]) => at.startsWith(step.prefix));
  const seen: Entry[] = [];
  let after: string | undefined;
  do {
    const options = { revision, limit: step.limit, ...(after === undefined ? {} : { after }) };
    const page = orExpired(() => store.list(step.prefix, options));
    if (!page) {
      expect(revision).toBeLessThan(model.floor);
      return;
    }
    seen.push(...page.entries);
    expect([page.more, page.remaining]).toEqual([seen.length < expected.length, expected.length - seen.length]);
    after = page.more ? page.entries.at(-1)?.key : undefined;
  } while (after !== undefined);
  expect(seen.map((entry) => [entry.key, dataOf(entry), entry.revision])).toEqual(expected);
}

function checkWatch(step: { resource: string; part: number }, store: LevelStore, model: Model): void {
  const revision = Math.floor(step.part * (model.changes.length + 1) * 0.999);
  const changes = orExpired(() => store.changesSince(step.resource, revision));
  if (!changes) {
    expect(revision).toBeLessThan(model.floor);
    return;
  }
  const seen = changes.map(({ revision: at, entry, type }) => [
    at,
    entry.key,
    type === "put" ? dataOf(entry) : undefined,
  ]);
  expect(seen).toEqual(model.since(step.resource, revision));
  for (const { revision: at, entry, before, previousOfResource } of changes) {
    const previously = model.at(at - 1).find(([there]) => there === entry.key);
    expect(before && [dataOf(before), before.revision]).toEqual(previously && previously.slice(1));
    const last = model.since(step.resource, 0).findLast(([earlier]) => earlier < at);
    expect(previousOfResource).toBe(last?.[0] ?? 0);
  }
}

function orExpired<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(RevisionExpired);
    return undefined;
  }
}

test(
  "the store answers as a plain list of all changes would, through compactions and restarts",
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (steps) => {
        const subject = new Subject();
        const model = new Model();
        await subject.open();
        for (const step of steps) {
          await apply(step, subject, model);
          expect(subject.store.revision()).toBe(model.changes.length);
          expect(subject.store.list("").entries.map((entry) => [entry.key, dataOf(entry), entry.revision])).toEqual(
            model.at(model.changes.length),
          );
          for (const name of ["core/pods", "core/nodes", "apps/replicasets"]) {
            expect(subject.store.lastRevisionOf(name)).toBe(model.since(name, 0).at(-1)?.[0] ?? 0);
          }
        }
      }),
      { numRuns: 200 },
    );
  },
);
