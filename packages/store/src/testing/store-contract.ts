import type { Clock, Random } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { burstMax, gatherMs } from "../commit/committer.ts";
import type { CommittedChange, Store } from "../store.ts";
import { RevisionExpired } from "../store.ts";
import type { StoreOptions } from "../store-options.ts";
import { describeListing } from "./listing-contract.ts";
import { dataOf, deleteKey, putData, putOf, resourceVersionOf } from "./changes.ts";

export type OpenStore = (
  deps: { clock: Clock; random: Random },
  options: Partial<StoreOptions>,
) => Store | Promise<Store>;

const podA = "core/pods/default/a";
const podB = "core/pods/default/b";
const nodeA = "core/nodes/_/a";

/** The contract of every store; `open` returns an empty store. */
export function describeStoreContract(name: string, open: OpenStore): void {
  async function openStore(options: Partial<StoreOptions> = {}) {
    const clock = new VirtualClock();
    const store = await open({ clock, random: new SeededRandom(7) }, options);
    return { store, clock, [Symbol.asyncDispose]: () => store.close() };
  }

  describe(`${name} keeps the store contract: writing`, () => {
    test("an empty store is at revision 0 and finds nothing", async () => {
      await using opened = await openStore();
      const { store } = opened;
      expect(store.revision()).toBe(0);
      expect(store.find(podA)).toBeUndefined();
      expect(store.list("")).toEqual({ entries: [], revision: 0, more: false, remaining: 0 });
      expect(store.count("")).toBe(0);
      expect(store.lastRevisionOf("core/pods")).toBe(0);
      expect(store.changesSince("core/pods", 0)).toEqual([]);
    });

    test("each write gets the next revision of one sequence, and its object has this revision", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const first = await putData(store, podA, 1);
      const second = await putData(store, nodeA, 2);
      expect([first.revision, second.revision, store.revision()]).toEqual([1, 2, 2]);
      const entry = store.find(nodeA);
      expect(entry).toEqual(second.entry);
      expect(entry && resourceVersionOf(entry)).toBe("2");
      expect(dataOf(entry)).toBe(2);
      expect(entry?.index.fields).toEqual({ "spec.nodeName": "node-1" });
    });

    test("patient writes wait for each other or until an urgent write, and are answered when the store closes", async () => {
      const { store, clock } = await openStore();
      const batches: number[] = [];
      store.subscribe((changes) => batches.push(changes.length));
      const heartbeat = (name: string) => {
        const key = `core/pods/default/${name}`;
        return store.update(key, () => putOf(key, 1), { patient: true });
      };
      for (let i = 0; i < burstMax; i++) await heartbeat("early");
      expect(batches.splice(0)).toEqual(Array.from({ length: burstMax }, () => 1));
      const waiting = ["a", "b", "c"].map(heartbeat);
      await clock.advance(gatherMs - 1);
      expect(batches).toEqual([]);
      await clock.advance(1);
      await Promise.all(waiting);
      expect(batches).toEqual([3]);
      const more = ["d", "e"].map(heartbeat);
      await Promise.all([...more, putData(store, podA, 1)]);
      expect(batches).toEqual([3, 3]);
      const last = heartbeat("f");
      await Promise.all([store.close(), last]);
      expect(store.find("core/pods/default/f")?.revision).toBe(burstMax + 7);
    });

    test("a delete removes the object, returns its final state, and uses a revision", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await putData(store, podA, "x");
      const gone = await deleteKey(store, podA);
      expect(gone.revision).toBe(2);
      expect(gone.entry && resourceVersionOf(gone.entry)).toBe("2");
      expect(store.find(podA)).toBeUndefined();
      expect(store.list("core/pods/").entries).toEqual([]);
    });

    test("keep returns the present value and uses no revision", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const { entry } = await putData(store, podA, "x");
      const kept = await store.update(podA, () => ({ keep: true, result: "seen" }));
      expect(kept).toEqual({ result: "seen", entry, revision: 1 });
      const nothing = await store.update(podB, () => ({ keep: true, result: "none" }));
      expect(nothing).toEqual({ result: "none", entry: undefined, revision: 1 });
    });

    test("refuse rejects with its error, and a change that throws fails alone", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const refusal = new Error("no");
      const bug = new Error("bug");
      const answers = await Promise.allSettled([
        store.update(podA, () => ({ refuse: refusal })),
        store.update(podA, () => {
          throw bug;
        }),
        putData(store, podB, 1),
      ]);
      expect(answers).toMatchObject([
        { status: "rejected", reason: refusal },
        { status: "rejected", reason: bug },
        { status: "fulfilled", value: { revision: 1 } },
      ]);
    });

    test("an invalid object key and a delete of a missing object are rejected without harm", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await expect(putData(store, "core/pods/a", 1)).rejects.toThrow("is not an object key");
      await expect(putData(store, "core/pods//a", 1)).rejects.toThrow("is not an object key");
      await expect(deleteKey(store, podA)).rejects.toThrow("does not exist");
      expect((await putData(store, podA, 1)).revision).toBe(1);
    });

    test("of many writers that read the same revision exactly one succeeds", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await putData(store, podA, "start");
      const writers = Array.from({ length: 64 }, (_, writer) =>
        store.update(podA, (current) =>
          current?.revision === 1 ? putOf(podA, writer) : { refuse: new Error("conflict") },
        ),
      );
      const answers = await Promise.allSettled(writers);
      expect(answers.filter((answer) => answer.status === "fulfilled")).toHaveLength(1);
      expect(store.revision()).toBe(2);
    });

    test("concurrent increments by many writers are all counted", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const increment = () => store.update(podA, (now) => putOf(podA, Number(dataOf(now) ?? 0) + 1));
      await Promise.all(Array.from({ length: 200 }, increment));
      expect(dataOf(store.find(podA))).toBe(200);
      expect(store.revision()).toBe(200);
    });

    test("a change reads memory plus the earlier writes of the same batch", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await putData(store, podA, 1);
      const [, , counted] = await Promise.all([
        putData(store, podB, 2),
        deleteKey(store, podA),
        store.update(nodeA, (_, reader) => ({
          keep: true,
          result: [reader.count("core/pods/"), reader.find(podA), dataOf(reader.find(podB))],
        })),
      ]);
      expect(counted.result).toEqual([1, undefined, 2]);
      expect(counted.revision).toBe(3);
    });

    test("a change receives the earlier writes of the same batch, and no writes of an earlier batch", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await putData(store, podA, 1);
      const seen: string[][] = [];
      const look = () =>
        store.update(nodeA, (_, reader) => {
          seen.push(reader.written().map(({ revision, type, entry }) => `${revision} ${type} ${entry.key}`));
          return { keep: true, result: undefined };
        });
      await Promise.all([look(), putData(store, podB, 2), look(), deleteKey(store, podA), look()]);
      expect(seen).toEqual([[], [`2 put ${podB}`], [`2 put ${podB}`, `3 delete ${podA}`]]);
    });

    test("a transaction may read at most 128 keys", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const look = (keys: number) =>
        store.update(podA, (_, reader) => {
          for (let i = 0; i < keys; i++) reader.find(`core/pods/default/${i}`);
          return { keep: true, result: keys };
        });
      await expect(look(128)).resolves.toMatchObject({ result: 128 });
      await expect(look(129)).rejects.toThrow("more than 128 keys");
    });

    test("a closed store rejects writes", async () => {
      const { store } = await openStore();
      const last = putData(store, podA, 1);
      await store.close();
      await expect(last).resolves.toMatchObject({ revision: 1 });
      await expect(putData(store, podA, 2)).rejects.toThrow("closed");
    });
  });

  describe(`${name} keeps the store contract: watching`, () => {
    test("listeners receive every batch once, in order, after memory shows it and before the writer is answered", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const heard: CommittedChange[] = [];
      const order: string[] = [];
      const stop = store.subscribe((changes) => {
        heard.push(...changes);
        order.push(`heard ${changes.at(-1)?.revision} at ${store.revision()}`);
      });
      await putData(store, podA, 1).then(() => order.push("answered"));
      await Promise.all([putData(store, nodeA, 2), putData(store, podA, 3)]);
      await deleteKey(store, podA);
      stop();
      await putData(store, podB, 4);
      expect(order[0]).toBe("heard 1 at 1");
      expect(order[1]).toBe("answered");
      expect(heard.map((c) => [c.revision, c.type, c.entry.key, c.before?.revision, c.previousOfResource])).toEqual([
        [1, "put", podA, undefined, 0],
        [2, "put", nodeA, undefined, 0],
        [3, "put", podA, 1, 1],
        [4, "delete", podA, 3, 3],
      ]);
      expect(dataOf(heard[3]?.entry)).toBe(3);
      expect(heard[3] && resourceVersionOf(heard[3].entry)).toBe("4");
    });

    test("changesSince returns exactly the changes of the resource after a revision", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await putData(store, podA, 1);
      await putData(store, nodeA, 2);
      await putData(store, podB, 3);
      await putData(store, nodeA, 4);
      const revisions = (resource: string, since: number) => store.changesSince(resource, since).map((c) => c.revision);
      expect(revisions("core/pods", 0)).toEqual([1, 3]);
      expect(revisions("core/pods", 1)).toEqual([3]);
      expect(revisions("core/pods", 2)).toEqual([3]);
      expect(revisions("core/nodes", 2)).toEqual([4]);
      expect(revisions("core/nodes", 4)).toEqual([]);
      expect(revisions("apps/replicasets", 0)).toEqual([]);
      expect([store.lastRevisionOf("core/pods"), store.lastRevisionOf("core/nodes")]).toEqual([3, 4]);
    });

    test("a change is dropped only when it is old and enough newer changes exist", async () => {
      await using opened = await openStore({ windowMs: 1000, windowEventsMin: 2 });
      const { store, clock } = opened;
      for (let i = 0; i < 4; i++) await putData(store, podA, i);
      expect(store.changesSince("core/pods", 0)).toHaveLength(4);
      await clock.advance(1000);
      await putData(store, podA, 4);
      // The newest two of revisions 1 to 5 are kept; a watch from 3 needs only 4 and 5.
      expect(store.changesSince("core/pods", 3).map((c) => c.revision)).toEqual([4, 5]);
      expect(() => store.changesSince("core/pods", 2)).toThrow(RevisionExpired);
    });

    test("heartbeats are limited by count and do not expire other watches", async () => {
      const leases = "coordination.k8s.io/leases";
      await using opened = await openStore({ windowEventsMaxByResource: { [leases]: 3 } });
      const { store } = opened;
      await putData(store, podA, 1);
      for (let i = 0; i < 10; i++) await putData(store, `${leases}/kube-node-lease/node-1`, i);
      expect(store.changesSince("core/pods", 0)).toHaveLength(1);
      expect(store.changesSince(leases, 8)).toHaveLength(3);
      expect(() => store.changesSince(leases, 7)).toThrow(RevisionExpired);
    });

    test("a window never holds more bytes than allowed", async () => {
      await using opened = await openStore({ windowBytesMax: 5000 });
      const { store } = opened;
      for (let i = 0; i < 5; i++) await putData(store, podA, "x".repeat(2000));
      expect(() => store.changesSince("core/pods", 2)).toThrow(RevisionExpired);
      expect(store.changesSince("core/pods", 3)).toHaveLength(2);
    });

    test("compaction keeps every change that the windows still need", async () => {
      await using opened = await openStore({ windowMs: 1000, windowEventsMin: 0 });
      const { store, clock } = opened;
      for (let i = 0; i < 3; i++) await putData(store, podA, i);
      await deleteKey(store, podA);
      await clock.advance(1000);
      await putData(store, podB, 1);
      await putData(store, podB, 2);
      const { floor } = await store.compact();
      expect(floor).toBe(4);
      expect(store.changesSince("core/pods", 4).map((c) => c.revision)).toEqual([5, 6]);
      expect(() => store.changesSince("core/pods", 3)).toThrow(RevisionExpired);
      expect(dataOf(store.find(podB))).toBe(2);
      expect(store.lastRevisionOf("core/pods")).toBe(6);
    });
  });

  describe(`${name} keeps the store contract: scrubbing`, () => {
    test("intact records pass during writes and compactions, and scrubbing changes nothing", async () => {
      await using opened = await openStore({ windowMs: 1000, windowEventsMin: 0 });
      const { store, clock } = opened;
      for (let i = 0; i < 3; i++) await putData(store, podA, i);
      await clock.advance(1000);
      await Promise.all([store.scrub(), putData(store, podB, 1), store.compact(), store.scrub()]);
      expect(store.revision()).toBe(4);
      expect(dataOf(store.find(podA))).toBe(2);
      await putData(store, podB, 2);
    });
  });

  describeListing(name, openStore);
}
