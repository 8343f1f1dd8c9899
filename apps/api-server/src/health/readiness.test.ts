import { expect, test } from "vitest";
import { createReadiness } from "./readiness.ts";

test("a server is ready from its first objects until it begins to shut down, which has its own check", async () => {
  const readiness = createReadiness();
  expect(() => readiness.check()).toThrow("do not exist yet");
  expect(() => readiness.checkStays()).not.toThrow();
  readiness.reach();
  await readiness.reached;
  expect(() => readiness.check()).not.toThrow();
  readiness.leave();
  expect(() => readiness.checkStays()).toThrow("shutting down");
  expect(() => readiness.check()).not.toThrow();
});
