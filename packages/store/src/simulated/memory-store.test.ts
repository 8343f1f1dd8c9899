import { expect, test } from "vitest";
import { OutcomeUnknown, StoreFull } from "../store.ts";
import { deleteKey, putData, putOf } from "../testing/changes.ts";
import { MemoryStore } from "./memory-store.ts";
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
