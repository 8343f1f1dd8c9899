import { SeededRandom } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { RevisionExpired, type Store } from "../store.ts";
import type { StoreOptions } from "../store-options.ts";
import { dataOf, deleteKey, encodedObject, putData } from "./changes.ts";

const podA = "core/pods/default/a";
const nodeA = "core/nodes/_/a";

type OpenedStore = AsyncDisposable & { readonly store: Store };

/** The part of every store's contract that concerns lists; `openStore` opens an empty store. */
export function describeListing(
  name: string,
  openStore: (options?: Partial<StoreOptions>) => Promise<OpenedStore>,
): void {
  describe(`${name} keeps the store contract: listing`, () => {
    async function withPods(store: Store, names: readonly string[]) {
      for (const pod of names) await putData(store, `core/pods/default/${pod}`, pod);
    }
    const namesOf = (entries: readonly { key: string }[]) => entries.map(({ key }) => key.split("/")[3]);

    test("a list is ordered by key and contains exactly the keys of the prefix", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await withPods(store, ["b", "a", "c"]);
      await putData(store, "core/pods/other/z", 1);
      await putData(store, "core/podsecurity/default/a", 1);
      expect(namesOf(store.list("core/pods/").entries)).toEqual(["a", "b", "c", "z"]);
      expect(namesOf(store.list("core/pods/default/").entries)).toEqual(["a", "b", "c"]);
      expect(store.count("core/pods/default/")).toBe(3);
      expect(store.count("core/")).toBe(5);
      expect(store.count("")).toBe(5);
    });

    test("pages report whether and how many more objects follow", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await withPods(store, ["a", "b", "c", "d", "e"]);
      const first = store.list("core/pods/", { limit: 2 });
      expect([namesOf(first.entries), first.more, first.remaining]).toEqual([["a", "b"], true, 3]);
      const after = first.entries.at(-1)?.key ?? "";
      const second = store.list("core/pods/", { limit: 3, after });
      expect([namesOf(second.entries), second.more, second.remaining]).toEqual([["c", "d", "e"], false, 0]);
    });

    test("all pages of a list show one revision, even with writes between two pages", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await withPods(store, ["a", "b", "c", "d"]);
      const first = store.list("core/pods/", { limit: 1 });
      await deleteKey(store, "core/pods/default/b");
      await putData(store, "core/pods/default/c", "changed");
      await withPods(store, ["bb"]);
      await putData(store, nodeA, 1);
      const next = (after: string) => store.list("core/pods/", { limit: 2, after, revision: first.revision });
      const second = next("core/pods/default/a");
      expect(second.entries.map(dataOf)).toEqual(["b", "c"]);
      expect([second.revision, second.more, second.remaining]).toEqual([4, true, 1]);
      const third = next("core/pods/default/c");
      expect([third.entries.map(dataOf), third.more]).toEqual([["d"], false]);
      expect(store.list("core/pods/").entries.map(dataOf)).toEqual(["a", "bb", "changed", "d"]);
    });

    test("a page of a revision whose changes were dropped is expired instead of wrong", async () => {
      await using opened = await openStore({ windowMs: 0, windowEventsMin: 1 });
      const { store } = opened;
      await withPods(store, ["a", "b", "c"]);
      expect(() => store.list("core/pods/", { revision: 1 })).toThrow(RevisionExpired);
      expect(namesOf(store.list("core/pods/", { revision: 2 }).entries)).toEqual(["a", "b"]);
    });

    test("a list of everything at a past revision undoes every resource", async () => {
      await using opened = await openStore();
      const { store } = opened;
      await putData(store, podA, 1);
      await putData(store, nodeA, 2);
      await deleteKey(store, podA);
      await putData(store, nodeA, 4);
      expect(store.list("", { revision: 2 }).entries.map((e) => [e.key, dataOf(e)])).toEqual([
        [nodeA, 2],
        [podA, 1],
      ]);
      expect(store.list("", { revision: 0 }).entries).toEqual([]);
    });

    test("many keys stay ordered and countable through insertions and deletions", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const random = new SeededRandom(3);
      const live = new Set<string>();
      for (let round = 0; round < 20; round++) {
        const keys = Array.from({ length: 150 }, () => `core/pods/ns-${random.integer(3)}/pod-${random.integer(2500)}`);
        await Promise.all(
          [...new Set(keys)].map((key) => {
            if (live.delete(key)) return deleteKey(store, key);
            live.add(key);
            return putData(store, key, round);
          }),
        );
      }
      expect(store.list("core/pods/").entries.map((e) => e.key)).toEqual([...live].sort());
      const inNamespace = [...live].filter((key) => key.startsWith("core/pods/ns-1/"));
      expect(store.count("core/pods/ns-1/")).toBe(inNamespace.length);
    });

    test("encoded objects are assembled around their revision, and only the revision differs", async () => {
      await using opened = await openStore();
      const { store } = opened;
      const object = encodedObject("ünïcode");
      const { entry } = await store.update(podA, () => ({ put: object, index: { uid: "u" }, result: undefined }));
      expect(new TextDecoder().decode(entry?.value)).toBe(`{"data":"ünïcode","resourceVersion":"1"}`);
      expect(entry?.index).toEqual({ uid: "u" });
    });
  });
}
