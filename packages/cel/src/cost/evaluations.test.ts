import { keptBytesMax, threadWorkedMs, turnWorkedMsMax } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCel } from "../compile-cel.ts";

// The evaluation of an expression ends soon and uses little memory with any data. The limits are
// relative to this machine: a loop of known cost is the yardstick.

const costMax = 1_000_000;

function measured(text: string, variables: Readonly<Record<string, unknown>>): { ms: number; bytes: number } {
  const expression = compileCel(text);
  const memory = process.memoryUsage();
  const beforeMs = threadWorkedMs();
  expression.evaluate(variables, { costLeft: costMax });
  const ms = threadWorkedMs() - beforeMs;
  const after = process.memoryUsage();
  const bytes = Math.max(after.rss - memory.rss, after.heapUsed + after.external - memory.heapUsed - memory.external);
  return { ms, bytes };
}

/** The time of a whole budget in plain loops, about 25 to 50 ms on an idle machine. */
function yardstickMs(): number {
  const self = Array.from({ length: 1000 }, (_, index) => BigInt(index));
  return Math.min(...[1, 2, 3].map(() => measured("self.all(a, self.all(b, a >= 0))", { self }).ms));
}

/**
 * An evaluation that takes too long is measured again, because other programs may have disturbed
 * it. The yardstick is measured again with it, because other programs disturb the yardstick too.
 */
function expectShort(text: string, variables: Readonly<Record<string, unknown>>): void {
  let worst = measured(text, variables);
  let limitMs = turnWorkedMsMax;
  for (let retry = 0; retry < 3 && (worst.ms > limitMs || worst.bytes > keptBytesMax); retry++) {
    limitMs = Math.max(turnWorkedMsMax, yardstickMs() * 6);
    worst = measured(text, variables);
  }
  expect(worst.ms, `${text.slice(0, 300)}: processor time`).toBeLessThanOrEqual(limitMs);
  expect(worst.bytes, `${text.slice(0, 300)}: memory`).toBeLessThanOrEqual(keptBytesMax);
}

const data = {
  numbers: Array.from({ length: 1000 }, (_, index) => BigInt(index)),
  many: Array.from({ length: 200_000 }, (_, index) => BigInt(index)),
  names: Array.from({ length: 20_000 }, (_, index) => `name-${index}`),
  keys: new Map(Array.from({ length: 20_000 }, (_, index) => [`name-${index}`, `name-${index}`])),
  alike: "a".repeat(3_000_000),
  words: "hello world ".repeat(50_000),
  objects: Array.from(
    { length: 5000 },
    (_, index) =>
      new Map<string, unknown>([
        ["name", `n${index}`],
        ["ports", [1n]],
      ]),
  ),
};

describe("no evaluation within its budget uses much time or memory", () => {
  test.each([
    "numbers.exists(a, numbers.exists(b, 1 / 0 > 0))",
    "numbers.map(a, numbers.map(b, numbers.map(c, c))).size() >= 0",
    "many.map(x, x).size() > 0",
    "many.all(x, many.exists(y, true))",
    "numbers.map(x, objects + []).size() > 0",
    "numbers.exists(x, many.all(y, false))",
    "many.all(i, v, v >= 0)",
    "names.transformMap(i, v, v).size() > 0",
    "names.all(x, x in keys)",
    "numbers.all(x, !(5 in keys))",
    "numbers.all(x, !keys[?5].hasValue())",
    "numbers.all(x, keys[5] == '')",
    "alike.replace('a', 'b').size() > 0",
    "alike.replace('a', alike).size() > 0",
    "alike.replace('', alike).size() > 0",
    "alike.split('').size() > 0",
    "alike.split('a').size() > 0",
    "words.split(' ').join(words) != ''",
    "[alike, alike, alike, alike].join(alike) != ''",
    "'%s%s%s%s%s'.format([alike, alike, alike, alike, alike]) != ''",
    "'%s'.format([keys]) != ''",
    "numbers.all(x, '%.2f'.format([1.5]) != '')",
    "numbers.all(x, timestamp('2024-01-01T00:00:00Z').getHours('America/New_York') > 0)",
    "numbers.all(x, duration('1h2m3s') > duration('1s'))",
    "numbers.all(x, quantity('1Gi').isGreaterThan(quantity('1Mi')))",
    "numbers.all(x, cidr('10.0.0.0/8').containsIP('10.1.2.3'))",
    "alike.contains('b' + alike.substring(1000000))",
    "alike.lastIndexOf('b' + alike.substring(1000000)) > 0",
    "alike.matches('^(a+)+$')",
    "words.matches('(l|o)*d(l|o){10}x')",
    "words.substring(0, 20000).matches('(l|o)*d(l|o){500}x')",
    "words.findAll('o').size() > 0",
    "words.substring(0, 5000).findAll('h.*x|h').size() > 0",
    "names.all(x, x.matches(x))",
    "names.all(x, x.matches(x + '(a{1,30}){1,30}'))",
    "bytes(alike).size() > 0",
    "int(alike) > 0",
    "sets.equivalent(many, many)",
    "many.isSorted() && many.sum() > 0 && names.max() != ''",
    "objects.all(o, objects.exists_one(p, p.name == o.name))",
    `numbers.map(x, [${"1,".repeat(3000)}1]).size() > 0`,
    "cel.bind(a, [1, 1], cel.bind(b, [a, a], cel.bind(c, [b, b, b, b], [c, c] == [c, c])))",
  ])("%s", (text) => {
    expectShort(text, data);
  });

  test("however often a large value is compared after the budget is used up", () => {
    expectShort(`${"many == many.map(x, x) || ".repeat(300)}true`, data);
    expectShort(`${"alike != alike + 'b' && ".repeat(300)}true`, data);
  });

  test("whatever expression is drawn", () => {
    fc.assert(
      fc.property(fc.oneof(drawn.bool, drawn.text, drawn.list), (text) => expectShort(text, data)),
      { numRuns: 60 },
    );
  }, 120_000);
});

/** Expressions of each type, nested a few levels deep. */
const drawn = fc.letrec<{ bool: string; text: string; number: string; list: string }>((tie) => {
  const call = (shape: (...parts: string[]) => string, ...types: ("bool" | "text" | "number" | "list")[]) =>
    fc.tuple(...types.map((type) => tie(type) as fc.Arbitrary<string>)).map((parts) => shape(...parts));
  const some = { maxDepth: 4, depthSize: "small" as const, withCrossShrink: true };
  return {
    bool: fc.oneof(
      some,
      fc.constantFrom("true", "'name-7' in keys", "7 in keys"),
      call((a, b) => `(${a} == ${b})`, "text", "text"),
      call((a, b) => `(${a} == ${b})`, "list", "list"),
      call((a, b) => `${a}.contains(${b})`, "text", "text"),
      call((a, b) => `${a}.matches(${b})`, "text", "text"),
      call((a, b) => `${a}.all(x, ${b})`, "list", "bool"),
      call((a, b) => `${a}.exists(y, ${b})`, "list", "bool"),
      call((a, b) => `(${a} || ${b})`, "bool", "bool"),
      call((a, b) => `(${a} in ${b})`, "text", "list"),
    ),
    text: fc.oneof(
      some,
      fc.constantFrom("alike", "words", "'a'", "'[a-z]+'", "''", "string(x)", "'(a|b)*c'", "y"),
      call((a, b) => `(${a} + ${b})`, "text", "text"),
      call((a, b, c) => `${a}.replace(${b}, ${c})`, "text", "text", "text"),
      call((a, b) => `${a}.join(${b})`, "list", "text"),
      call((a) => `'%s %s'.format([${a}, keys])`, "list"),
      call((a, b) => `${a}.find(${b})`, "text", "text"),
      call((a) => `${a}.upperAscii().trim().reverse()`, "text"),
      call((a, b) => `cel.bind(x, ${a}, ${b})`, "text", "text"),
      call((a, b, c) => `(${a} ? ${b} : ${c})`, "bool", "text", "text"),
    ),
    number: fc.oneof(
      some,
      fc.constantFrom("1", "x", "-1"),
      call((a) => `size(${a})`, "text"),
      call((a) => `${a}.size()`, "list"),
      call((a, b) => `${a}.lastIndexOf(${b})`, "text", "text"),
    ),
    list: fc.oneof(
      some,
      fc.constantFrom("numbers", "names", "many", "objects", "[]"),
      call((a, b) => `(${a} + ${b})`, "list", "list"),
      call((a, b) => `${a}.map(x, ${b})`, "list", "text"),
      call((a, b) => `${a}.map(x, ${b})`, "list", "list"),
      call((a, b) => `${a}.filter(x, ${b})`, "list", "bool"),
      call((a, b) => `${a}.transformList(i, x, ${b})`, "list", "number"),
      call((a, b) => `${a}.split(${b})`, "text", "text"),
      call((a, b) => `${a}.findAll(${b})`, "text", "text"),
      call((a, b) => `[${a}, ${b}]`, "text", "number"),
    ),
  };
});
