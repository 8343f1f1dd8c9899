import { expect, test } from "vitest";
import { type EtcdStatus, lacksRoom, quotaBytesDefault } from "./etcd-room.ts";

const status = (over: Partial<EtcdStatus>): EtcdStatus => ({
  version: "3.5.21",
  databaseBytes: 1_000,
  usedBytes: 0,
  errors: [],
  ...over,
});

test.each([
  ["an empty database", {}, false],
  ["a disk with less than nine tenths in use", { usedBytes: 899 }, false],
  ["nine tenths in use", { usedBytes: 900 }, true],
  ["a file at its quota that is mostly free", { databaseBytes: 1_000, usedBytes: 100 }, false],
  ["an alarm, whatever is in use", { errors: ["memberID:8211f1d0f64f3269 alarm:NOSPACE "] }, true],
  ["another alarm", { errors: ["memberID:8211f1d0f64f3269 alarm:CORRUPT "] }, false],
])("%s", (_, over, expected) => {
  expect(lacksRoom(status(over), 1_000)).toBe(expected);
});

test("the default quota is etcd's default", () => {
  expect(quotaBytesDefault).toBe(2_147_483_648);
});
