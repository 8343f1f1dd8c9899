import type { Clock, Random } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { ReplicatedStore } from "../replicated/replicated-store.ts";
import type { ReplicatedLog } from "../replicated/replicated-log.ts";
import type { Store } from "../store.ts";
import type { StoreOptions } from "../store-options.ts";
import { dataOf, deleteKey, putData, putOf } from "./changes.ts";

export interface SharedLog {
  /** A new connection to the same log. */
  connect(): ReplicatedLog | Promise<ReplicatedLog>;
}

/** Opens an empty log. */
export type OpenSharedLog = (deps: { clock: Clock; random: Random }) => SharedLog | Promise<SharedLog>;

const pod = "core/pods/default/a";
const node = "core/nodes/_/n";

class Replicas implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly #log: SharedLog;
  readonly #random: Random;
  readonly #open: Store[] = [];

  constructor(clock: VirtualClock, random: Random, log: SharedLog) {
    this.clock = clock;
    this.#random = random;
    this.#log = log;
  }

  async open(options: Partial<StoreOptions> = {}): Promise<ReplicatedStore> {
    const log = await this.#log.connect();
    const store = await ReplicatedStore.open({ log, clock: this.clock, random: this.#random }, options);
    this.#open.push(store);
    return store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#open.map((store) => store.close()));
  }
}

const increment = (store: Store) => store.update(pod, (now) => putOf(pod, Number(dataOf(now) ?? 0) + 1));

/** The contract of a log that several replicas of the store share. */
export function describeReplicasContract(name: string, openLog: OpenSharedLog): void {
  async function start(): Promise<Replicas> {
    const clock = new VirtualClock();
    const random = new SeededRandom(7);
    return new Replicas(clock, random, await openLog({ clock, random }));
  }

  describe(`${name} keeps the contract of replicas:`, () => {
    test.each([2, 3])("increments from %i replicas at once lose none", async (count) => {
      await using replicas = await start();
      const stores = await Promise.all(Array.from({ length: count }, () => replicas.open()));
      const each = 40;
      await Promise.all(stores.flatMap((store) => Array.from({ length: each }, () => increment(store))));
      for (const store of stores) {
        await store.fresh();
        expect([dataOf(store.find(pod)), store.revision()]).toEqual([count * each, count * each]);
      }
    });

    test("all replicas receive the same changes once in the same order", async () => {
      await using replicas = await start();
      const stores = [await replicas.open(), await replicas.open(), await replicas.open()];
      const seen = stores.map((store) => {
        const changes: unknown[] = [];
        store.subscribe((batch) => {
          for (const { revision, type, entry, before, previousOfResource } of batch) {
            changes.push([revision, type, entry.key, dataOf(entry), entry.index, before?.revision, previousOfResource]);
          }
        });
        return changes;
      });
      const writes = stores.flatMap((store, i) =>
        Array.from({ length: 10 }, async (_, n) => {
          const key = `core/pods/default/${i}-${n % 3}`;
          await putData(store, key, n);
          if (n % 4 === 0)
            await store.update(key, (now) => (now ? { ...deletion(now), result: 0 } : { keep: true, result: 0 }));
        }),
      );
      await Promise.all(writes);
      for (const store of stores) await store.fresh();
      expect(seen[0]?.length).toBe(stores[0]?.revision());
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
      expect(stores[1]?.list("").entries).toEqual(stores[0]?.list("").entries);
    });

    test("a write that one replica acknowledged is found at another after fresh()", async () => {
      await using replicas = await start();
      const [a, b] = [await replicas.open(), await replicas.open()];
      for (let i = 0; i < 20; i++) {
        const { revision } = await putData(i % 2 === 0 ? a : b, pod, i);
        const other = i % 2 === 0 ? b : a;
        await other.fresh();
        expect([dataOf(other.find(pod)), other.revision()]).toEqual([i, revision]);
      }
      await deleteKey(a, pod);
      await b.fresh();
      expect(b.find(pod)).toBeUndefined();
    });

    test("a decision not to write is based on every earlier acknowledged write", async () => {
      await using replicas = await start();
      const [a, b] = [await replicas.open(), await replicas.open()];
      for (let i = 1; i <= 10; i++) {
        await putData(a, pod, i);
        const { result } = await b.update(pod, (now) => ({ keep: true, result: dataOf(now) }));
        expect(result).toBe(i);
      }
    });

    test("a revision that another replica returned can be awaited", async () => {
      await using replicas = await start();
      const [a, b] = [await replicas.open(), await replicas.open()];
      const { revision } = await putData(a, pod, 1);
      await b.reached(revision, 3_000);
      expect(b.revision()).toBeGreaterThanOrEqual(revision);
    });

    test("a replica that starts has the state, the windows and the replaced values", async () => {
      await using replicas = await start();
      const a = await replicas.open();
      await putData(a, node, "old");
      await putData(a, pod, 1);
      await replicas.clock.advance(70_000);
      await putData(a, pod, 2);
      await deleteKey(a, pod);
      await putData(a, pod, 3);
      const b = await replicas.open();
      expect(b.list("").entries).toEqual(a.list("").entries);
      expect([b.clusterId, b.historyId, b.historyStart]).toEqual([a.clusterId, a.historyId, a.historyStart]);
      for (const resource of ["core/pods", "core/nodes", "apps/replicasets"]) {
        expect(b.lastRevisionOf(resource)).toBe(a.lastRevisionOf(resource));
        expect(b.changesSince(resource, 0)).toEqual(a.changesSince(resource, 0));
      }
      const next = await putData(b, node, "new");
      await a.fresh();
      expect(next.revision).toBe(6);
      expect(a.find(node)).toEqual(b.find(node));
    });

    test("a replica that starts after a compaction resumes each watch with recent changes", async () => {
      await using replicas = await start();
      const a = await replicas.open({ windowMs: 100_000, windowEventsMin: 0 });
      await putData(a, node, "quiet");
      for (let i = 0; i < 5; i++) {
        await replicas.clock.advance(61_000);
        await putData(a, pod, i);
      }
      await a.compact();
      const b = await replicas.open({ windowMs: 100_000, windowEventsMin: 0 });
      // The last two changes are younger than the window. The node has not changed since its own
      // change.
      expect(b.changesSince("core/pods", 4).map(({ revision }) => revision)).toEqual([5, 6]);
      expect(b.changesSince("core/nodes", 1)).toEqual([]);
      expect(b.lastRevisionOf("core/nodes")).toBe(1);
      expect(b.list("").entries).toEqual(a.list("").entries);
    });

    test("an object too large for the log is rejected without harm, and many large objects are accepted", async () => {
      await using replicas = await start();
      const a = await replicas.open();
      await expect(putData(a, pod, "x".repeat(1.6 * 2 ** 20))).rejects.toMatchObject({ name: "ObjectTooLarge" });
      const large = "y".repeat(600_000);
      await Promise.all(Array.from({ length: 5 }, (_, i) => putData(a, `core/pods/default/${i}`, large)));
      await Promise.all(Array.from({ length: 300 }, (_, i) => putData(a, `core/nodes/_/${i}`, i)));
      const b = await replicas.open();
      expect([b.count("core/pods/"), b.count("core/nodes/")]).toEqual([5, 300]);
    });

    test("scrubbing compares the log with memory", async () => {
      await using replicas = await start();
      const [a, b] = [await replicas.open(), await replicas.open()];
      for (let i = 0; i < 3; i++) await putData(a, `core/pods/default/${i}`, i);
      await b.fresh();
      expect(await b.scrub()).toEqual({ records: 3 });
    });
  });
}

function deletion(now: { index: { uid: string }; value: Uint8Array }) {
  const text = Buffer.from(now.value).toString();
  const [head = "", tail = ""] = text.split(/(?<="resourceVersion":")\d+/);
  return { delete: { head: Buffer.from(head), tail: Buffer.from(tail) }, index: now.index };
}
