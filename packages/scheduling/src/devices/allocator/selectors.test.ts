import { expect, test } from "vitest";
import type { PooledDevice } from "./pool.ts";
import { DeviceSelectors, type SelectorProgram } from "./selectors.ts";

const device = {} as PooledDevice;

function selectors() {
  const evaluated: string[] = [];
  const compiled: string[] = [];
  const of = new DeviceSelectors((expression) => {
    compiled.push(expression);
    const program: SelectorProgram = () => {
      evaluated.push(expression);
      return true;
    };
    return program;
  });
  const ask = (owner: string, expression: string, budget = { costLeft: 1_000_000 }) =>
    of.verdict({ owner, expression }, device, budget);
  return { evaluated, compiled, ask };
}

test("a namespace with more expressions than cache places evicts no verdict of another namespace or of a class", () => {
  const { evaluated, compiled, ask } = selectors();
  for (let index = 0; index < 10; index++) ask("victim", `victim ${index}`);
  ask("", "class");
  for (let index = 0; index < 1_000; index++) ask("greedy", `greedy ${index}`);
  const before = [evaluated.length, compiled.length];
  for (let index = 0; index < 10; index++) ask("victim", `victim ${index}`);
  ask("", "class");
  expect([evaluated.length, compiled.length]).toEqual(before);
});

test("the cache is limited: the oldest entry of the largest user is evicted first", () => {
  const { evaluated, ask } = selectors();
  for (let index = 0; index < 65; index++) ask("one", `${index}`);
  evaluated.length = 0;
  ask("one", "1");
  ask("one", "0");
  expect(evaluated).toEqual(["0"]);
});

test("a new namespace gets a place when others use all of them", () => {
  const { evaluated, ask } = selectors();
  for (let index = 0; index < 64; index++) ask("one", `${index}`);
  ask("other", "new");
  evaluated.length = 0;
  ask("other", "new");
  expect(evaluated).toEqual([]);
});

test("an expression is compiled only within the budget, and the longest within a single decision's budget", () => {
  const { compiled, ask } = selectors();
  const budget = { costLeft: 100_000 };
  expect(ask("one", "x".repeat(10 * 1024), budget)).toBe("exhausted");
  expect(compiled).toEqual([]);
  expect(ask("one", "x".repeat(10 * 1024))).toBe(true);
});
