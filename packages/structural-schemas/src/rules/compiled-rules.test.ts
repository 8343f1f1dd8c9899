import type { JsonSchema } from "@kintsugi/api";
import { expect, test } from "vitest";
import { compiledRule, prepareRules } from "./compiled-rules.ts";
import { rulesWithin } from "./rule-list.ts";

const schemaOf = (name: string, count: number, text: (index: number) => string): JsonSchema => ({
  type: "object",
  properties: {
    [name]: {
      type: "object",
      "x-kubernetes-validations": Array.from({ length: count }, (_, index) => ({ rule: text(index) })),
    },
  },
});

const long = (name: string) => (index: number) => `"${"x".repeat(5_000)}" == "${name}-${index}"`;

test("the rules of a schema are compiled one by one and remain compiled", () => {
  const schema = schemaOf("a", 5, long("a"));
  const preparation = prepareRules(schema);
  expect(preparation?.isDone()).toBe(false);
  expect([...(preparation?.steps() ?? [])]).toHaveLength(5);
  expect(preparation?.isDone()).toBe(true);
  expect([...(preparation?.steps() ?? [])]).toEqual([]);
});

test("few rules need no preparation, and a schema without rules needs none", () => {
  expect(prepareRules(schemaOf("b", 3, (index) => `self.x == ${index}`))?.isDone()).toBe(true);
  expect(prepareRules(schemaOf("c", 0, String))).toBeUndefined();
});

test("the rules of all definitions share a limit, and the most recently used remain", () => {
  const [first, used] = [schemaOf("d", 2, long("d")), schemaOf("e", 2, long("e"))];
  for (const schema of [first, used]) for (const rule of rulesWithin(schema)) compiledRule(rule);
  for (let index = 0; index < 11; index++) {
    for (const rule of rulesWithin(schemaOf("f", 10, long(`f${index}`)))) compiledRule(rule);
    for (const rule of rulesWithin(used)) compiledRule(rule);
  }
  expect(prepareRules(first)?.isDone()).toBe(false);
  expect(prepareRules(used)?.isDone()).toBe(true);
});
