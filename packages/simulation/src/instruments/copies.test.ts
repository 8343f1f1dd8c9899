import { pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { Incarnation } from "../process/incarnation.ts";
import { Copies } from "./copies.ts";

const copy = () => ({ owner: "scheduler", informer: { type: pods, list: () => [] } as never, options: {} });

test("a cache counts until it is no longer followed or its process ends", () => {
  const copies = new Copies();
  const [following, incarnation] = [new AbortController(), new Incarnation()];
  copies.add(copy(), { signal: following.signal, incarnation });
  copies.add(copy(), { signal: new AbortController().signal, incarnation });
  expect([...copies.all()]).toHaveLength(2);
  following.abort();
  expect([...copies.all()]).toHaveLength(1);
  incarnation.end();
  expect([...copies.all()]).toEqual([]);
});

test("caches of an ended process do not count", () => {
  const copies = new Copies();
  const dead = new Incarnation();
  dead.end();
  copies.add(copy(), { signal: new AbortController().signal, incarnation: dead });
  copies.add(copy(), { signal: AbortSignal.abort(), incarnation: new Incarnation() });
  expect([...copies.all()]).toEqual([]);
});
