import { describe, expect, test } from "vitest";
import { formatFieldSelector, matchesFields, parseFieldSelector, requiredField } from "./field-selector.ts";
import { SelectorError } from "./label-selector-parser.ts";

describe("a field selector", () => {
  test.each<[string, Record<string, string>, boolean]>([
    ["", {}, true],
    ["spec.nodeName=n", { "spec.nodeName": "n" }, true],
    ["spec.nodeName==n", { "spec.nodeName": "m" }, false],
    ["spec.nodeName=", {}, true],
    ["spec.nodeName!=", { "spec.nodeName": "n" }, true],
    ["status.phase!=Succeeded,status.phase!=Failed", { "status.phase": "Running" }, true],
    ["status.phase!=Succeeded,status.phase!=Failed", { "status.phase": "Failed" }, false],
    [String.raw`a=x\,y`, { a: "x,y" }, true],
    [String.raw`a=x\=y`, { a: "x=y" }, true],
    [String.raw`a=x\\`, { a: "x\\" }, true],
    [",,a=b,", { a: "b" }, true],
  ])("%j on %j: %s", (text, fields, expected) => {
    expect(matchesFields(parseFieldSelector(text), fields)).toBe(expected);
  });

  test.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
    [String.raw`a=\x`, String.raw`invalid field selector: invalid escape sequence in value: \x`],
    ["a=b=c", "invalid field selector: unescaped character in value: b=c"],
  ])("%j is rejected", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });

  test("is formatted as it is parsed", () => {
    const text = String.raw`a=x\,y,b!=c\=d`;
    expect(formatFieldSelector(parseFieldSelector(text))).toBe(text);
  });

  test("returns the required value for an index", () => {
    const selector = parseFieldSelector("spec.nodeName=n,status.phase!=Failed");
    expect(requiredField(selector, "spec.nodeName")).toBe("n");
    expect(requiredField(selector, "status.phase")).toBeUndefined();
  });
});
