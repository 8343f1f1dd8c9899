import { pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { Life } from "../process/life.ts";
import { Copies } from "./copies.ts";

const copy = () => ({ owner: "scheduler", informer: { type: pods, list: () => [] } as never, options: {} });

test("a copy counts until it is no longer followed or its process ends", () => {
  const copies = new Copies();
  const [following, life] = [new AbortController(), new Life()];
  copies.add(copy(), { signal: following.signal, life });
  copies.add(copy(), { signal: new AbortController().signal, life });
  expect([...copies.all()]).toHaveLength(2);
  following.abort();
  expect([...copies.all()]).toHaveLength(1);
  life.end();
  expect([...copies.all()]).toEqual([]);
});

test("what a dead process would still follow does not count", () => {
  const copies = new Copies();
  const dead = new Life();
  dead.end();
  copies.add(copy(), { signal: new AbortController().signal, life: dead });
  copies.add(copy(), { signal: AbortSignal.abort(), life: new Life() });
  expect([...copies.all()]).toEqual([]);
});
