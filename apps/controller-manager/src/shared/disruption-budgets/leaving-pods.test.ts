import { expect, test } from "vitest";
import { LeavingPods } from "./leaving-pods.ts";

test("a terminating pod that is dropped during a read still counts for this read, and not for later reads", () => {
  const pods = new LeavingPods();
  pods.add("a");
  const early = pods.beginJudgement();
  pods.add("b");
  pods.forget("a");
  pods.forget("b");
  const late = pods.beginJudgement();
  expect([...early.leaving()]).toEqual(["a", "b"]);
  expect([...late.leaving()]).toEqual([]);
  early.end();
  expect([...late.leaving()]).toEqual([]);
});

test("a pod that is not evicted after all is no longer terminating", () => {
  const pods = new LeavingPods();
  const judgement = pods.beginJudgement();
  pods.add("a");
  expect([...judgement.leaving()]).toEqual(["a"]);
  pods.stay("a");
  expect([...judgement.leaving()]).toEqual([]);
});

test("dropped entries are kept for the checks that had started, however they end", () => {
  const pods = new LeavingPods();
  const first = pods.beginJudgement();
  const second = pods.beginJudgement();
  pods.add("a");
  pods.forget("a");
  first.end();
  expect([...second.leaving()]).toEqual(["a"]);
  second.end();
  expect([...second.leaving()]).toEqual([]);
});
