import { expect, test } from "vitest";
import { OutcomeUnknown, RevisionExpired, StoreFull } from "../store.ts";
import { deleteKey, encodedObject, putData, putOf } from "../testing/changes.ts";
import { storedEntries, MemoryStore } from "./memory-store.ts";
import { describeStoreContract } from "../testing/store-contract.ts";

describeStoreContract("MemoryStore", (deps, options) => new MemoryStore(deps, options));

const pod = "core/pods/default/a";

test("a full disk accepts only important writes and deletes, and everything again when space is free", async () => {
  const store = new MemoryStore();
  await putData(store, pod, 1);
  store.setFull(true);
  await expect(putData(store, pod, 2)).rejects.toThrow(StoreFull);
  await expect(store.update(pod, () => putOf(pod, 3), { important: true })).resolves.toMatchObject({ revision: 2 });
  await expect(deleteKey(store, pod)).resolves.toMatchObject({ revision: 3 });
  store.setFull(false);
  await expect(putData(store, pod, 4)).resolves.toMatchObject({ revision: 4 });
});

test("after a disk error every unanswered write is unknown, including reads of its batch, and the store has failed", async () => {
  const store = new MemoryStore();
  await putData(store, pod, 1);
  store.breakDisk(new Error("EIO"));
  const answers = await Promise.allSettled([
    putData(store, pod, 2),
    store.update(pod, () => ({ keep: true, result: "may have seen the write" })),
    store.update(pod, () => ({ refuse: new Error("conflict with the write") })),
  ]);
  for (const answer of answers)
    expect(answer).toMatchObject({ status: "rejected", reason: expect.any(OutcomeUnknown) });
  await expect(store.failed).rejects.toThrow(OutcomeUnknown);
  await expect(putData(store, pod, 3)).rejects.toThrow(OutcomeUnknown);
  expect(store.revision()).toBe(1);
});

test("a store that begins with objects has their revisions, and a history that starts after them", async () => {
  const written = new MemoryStore();
  for (const [at, name] of ["b", "a", "c"].entries()) await putData(written, `core/pods/default/${name}`, at);
  const objects = ["b", "a", "c"].map((name, at) => ({
    key: `core/pods/default/${name}`,
    put: encodedObject(at),
    index: written.find(`core/pods/default/${name}`)?.index ?? { uid: "" },
  }));
  const store = new MemoryStore({ entries: storedEntries(objects) });
  expect(store.list("core/pods/")).toEqual(written.list("core/pods/"));
  expect(() => store.changesSince("core/pods", 2)).toThrow(RevisionExpired);
  expect(store.changesSince("core/pods", 3)).toEqual([]);
  await expect(deleteKey(store, pod)).resolves.toMatchObject({ revision: 4 });
  expect(store.changesSince("core/pods", 3)).toMatchObject([{ type: "delete", revision: 4, previousOfResource: 3 }]);
});
