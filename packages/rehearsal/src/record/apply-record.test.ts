import { expect, test } from "vitest";
import type { RawObject } from "../source/raw-object.ts";
import { applyRecord } from "./apply-record.ts";

const pod = (restartCount: number): RawObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "shop", uid: "u" },
  status: { containerStatuses: [{ name: "c", restartCount }] },
});

test("a record counts its own restarts and no earlier restarts", () => {
  const changes = [4, 4, 5, 7].map((count, index) => ({ atMs: index, is: "put", object: pod(count) }) as const);
  expect([...applyRecord([pod(3)], changes).past.restarts]).toEqual([["u c", 4]]);
  expect([...applyRecord([], changes).past.restarts]).toEqual([["u c", 3]]);
});
