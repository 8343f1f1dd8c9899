import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLabelSelector, SelectorError } from "./label-selector-parser.ts";
import { formatSelector, mapSelector, matchesLabels, requiredValue, toSelector } from "./label-selector.ts";
import { withinLimits } from "../testing/request-limits.ts";

describe("a selector in text form", () => {
  test.each<[string, Record<string, string>, boolean]>([
    ["", {}, true],
    ["a", { a: "" }, true],
    ["a", {}, false],
    ["!a", {}, true],
    ["!a", { a: "x" }, false],
    ["a=b", { a: "b" }, true],
    ["a==b", { a: "c" }, false],
    ["a=", { a: "" }, true],
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a in (b,c)", { a: "c" }, true],
    ["a in (b,c)", {}, false],
    ["a in ()", { a: "" }, true],
    ["a in (b,)", { a: "" }, true],
    ["a notin (b,c)", {}, true],
    ["a notin (b,c)", { a: "b" }, false],
    ["a>1", { a: "2" }, true],
    ["a>1", { a: "x" }, false],
    ["a<1", { a: "-5" }, true],
    ["a<1", {}, false],
    ["a,!b,c in (d)", { a: "1", c: "d" }, true],
    [" a = b , c ", { a: "b", c: "" }, true],
    ["in in (in)", { in: "in" }, true],
    ["example.com/app=web", { "example.com/app": "web" }, true],
    ["constructor", {}, false],
  ])("%j on %j: %s", (text, labels, expected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected);
  });

  test.each([
    ["a=b=c", "found '=', expected: ',' or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a,,b", "found ',', expected: identifier after ','"],
    ["=a", "found '=', expected: !, identifier, or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
    [
      "a>x",
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      "a=_",
      "unable to parse requirement: values[0][a]: Invalid value: \"_\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ])("%j is rejected", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message));
  });
});

describe("a selector in object form", () => {
  test("selects nothing when absent and everything when empty", () => {
    expect(matchesLabels(toSelector(undefined), { a: "b" })).toBe(false);
    expect(matchesLabels(toSelector({}), undefined)).toBe(true);
    expect(matchesLabels(mapSelector({}), { a: "b" })).toBe(false);
  });

  test.each([
    ["In", ["a"], { k: "a" }, true],
    ["NotIn", ["a"], {}, true],
    ["Exists", [], { k: "" }, true],
    ["DoesNotExist", [], { k: "" }, false],
  ] as const)("%s %j on %j: %s", (operator, values, labels, expected) => {
    const selector = toSelector({ matchExpressions: [{ key: "k", operator, values: [...values] }] });
    expect(matchesLabels(selector, labels)).toBe(expected);
  });

  test("selects nothing when its operator is unknown", () => {
    const selector = toSelector({ matchExpressions: [{ key: "k", operator: "Near" as never }] });
    expect(matchesLabels(selector, { k: "" })).toBe(false);
  });
});

const words = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);

test("text and object forms have the same meaning", () => {
  const maps = fc.dictionary(words, words, { maxKeys: 3 });
  fc.assert(
    fc.property(
      maps,
      maps,
      fc.array(words, { minLength: 1, maxLength: 3 }),
      withinLimits((matchLabels, labels, values) => {
        const selector = toSelector({ matchLabels, matchExpressions: [{ key: "x", operator: "NotIn", values }] });
        expect(matchesLabels(parseLabelSelector(formatSelector(selector)), labels)).toBe(
          matchesLabels(selector, labels),
        );
      }),
    ),
  );
});

test("the only value that may match is returned to an index", () => {
  expect(requiredValue(parseLabelSelector("a=b,c"), "a")).toBe("b");
  expect(requiredValue(parseLabelSelector("a in (b,c)"), "a")).toBeUndefined();
  expect(requiredValue(parseLabelSelector("a!=b"), "a")).toBeUndefined();
});
