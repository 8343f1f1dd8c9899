import { parseTimestamp } from "@kintsugi/api";
import { expect, test } from "vitest";
import { planRotation } from "./rotated-logs.ts";

const nowMs = parseTimestamp("2026-01-02T03:04:05.678Z");
const name = "0.log";
const options = { maxSizeBytes: 10, maxFiles: 5 };

test("the current log is rotated under the second of its rotation", () => {
  expect(planRotation({ name, others: [name, "1.log", "0.log.tail"] }, options, nowMs).rotateTo).toBe(
    "0.log.20260102-030405",
  );
});

test("of five files the oldest is removed; the others are compressed except for the newest, which may still be read", () => {
  const others = [
    "0.log.20260101-000003",
    "0.log.20260101-000001.gz",
    "0.log.20260101-000002.gz",
    "0.log.20260101-000000.gz",
  ];
  expect(planRotation({ name, others: [name, ...others] }, options, nowMs)).toEqual({
    remove: ["0.log.20260101-000000.gz"],
    compress: ["0.log.20260101-000003"],
    rotateTo: "0.log.20260102-030405",
  });
});

test("leftovers of a crashed kubelet are removed: half compressed files, and files that are already compressed", () => {
  const others = ["0.log.20260101-000001.tmp", "0.log.20260101-000002", "0.log.20260101-000002.gz"];
  expect(planRotation({ name, others }, options, nowMs)).toMatchObject({
    remove: ["0.log.20260101-000001.tmp", "0.log.20260101-000002"],
    compress: [],
  });
});

test("with two files only the current log and one rotated log exist", () => {
  const others = ["0.log.20260101-000001", "0.log.20260101-000002"];
  expect(planRotation({ name, others }, { ...options, maxFiles: 2 }, nowMs)).toMatchObject({
    remove: others,
    compress: [],
  });
});

test("a timestamp that exists is not used again", () => {
  const others = ["0.log.20260102-030405", "0.log.20260102-030406.gz"];
  expect(planRotation({ name, others }, options, nowMs).rotateTo).toBe("0.log.20260102-030407");
});
