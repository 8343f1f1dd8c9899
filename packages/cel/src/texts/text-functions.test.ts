import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCel } from "../compile-cel.ts";
import { indexOfText, lastIndexOfText } from "./text-search.ts";

function valueOf(text: string): unknown {
  const result = compileCel(text).evaluate({}, { costLeft: 1_000_000 });
  return result.outcome === "value" ? result.value : result;
}

describe("text functions have upstream's results", () => {
  test.each<[string, unknown]>([
    ["'abcabc'.replace('b', 'x')", "axcaxc"],
    ["'abcabc'.replace('b', 'x', 1)", "axcabc"],
    ["'abcabc'.replace('b', 'x', 0)", "abcabc"],
    ["'abcabc'.replace('b', 'x', -1)", "axcaxc"],
    ["'aaa'.replace('aa', 'b')", "ba"],
    ["'aaa'.replace('a', 'aa')", "aaaaaa"],
    ["'abc'.replace('', '-')", "-a-b-c-"],
    ["'abc'.replace('', '-', 2)", "-a-bc"],
    ["'a,b,c'.split(',') == ['a', 'b', 'c']", true],
    ["'a,b,c'.split(',', 2) == ['a', 'b,c']", true],
    ["'a,b,c'.split(',', 1) == ['a,b,c']", true],
    ["'a,b,c'.split(',', 0) == []", true],
    ["'a,b,c'.split(',', -1).size()", 3n],
    ["'abc'.split('') == ['a', 'b', 'c']", true],
    ["'abc'.split('', 2) == ['a', 'bc']", true],
    ["['a', 'b'].join()", "ab"],
    ["['a', 'b'].join('-')", "a-b"],
    ["[].join('-')", ""],
    ["'abc'.reverse()", "cba"],
    ["'aXé'.upperAscii()", "AXé"],
    ["'AxÉ'.lowerAscii()", "axÉ"],
    ["size('a😀')", 2n],
    ["'a😀b'.size()", 3n],
    ["int('-12')", -12n],
    ["int('9223372036854775807')", 9223372036854775807n],
    ["int('9223372036854775808')", { outcome: "error", message: "type conversion error from 'string' to 'int'" }],
    ["int('')", { outcome: "error", message: "type conversion error from 'string' to 'int'" }],
    ["int('0x10')", { outcome: "error", message: "type conversion error from 'string' to 'int'" }],
    ["uint('12') == 12u", true],
    ["[1, 2][5]", { outcome: "error", message: "index out of bounds: 5" }],
    ["{1: 2}[3]", { outcome: "error", message: "no such key: 3" }],
    ["{1: 2}[1]", 2n],
    ["[[1], [2]][1][0]", 2n],
    ["cel.bind(x, [1], x + [2] == [1, 2] && x + [3] == [1, 3] && x == [1])", true],
    ["cel.bind(x, [1] + [2], x + [3] == [1, 2, 3] && x + [4] == [1, 2, 4] && x == [1, 2])", true],
    ["[1, 2, 3].map(x, x * 2) + [1] == [2, 4, 6, 1]", true],
  ])("%s", (text, expected) => {
    expect(valueOf(text)).toEqual(expected);
  });
});

test("a search has the regular expression engine's results, for every string", () => {
  const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      text,
      text,
      fc.nat(60),
      fc.boolean(),
      withinLimits((whole, part, from, isLong) => {
        // The engine's own search handles short texts.
        const repeat = isLong ? 300 : 1;
        const [long, wanted] = [whole.repeat(repeat), part.repeat(repeat)];
        expect(indexOfText(long, wanted, from)).toBe(long.indexOf(wanted, from));
        expect(lastIndexOfText(long, wanted)).toBe(long.lastIndexOf(wanted));
        expect(lastIndexOfText(long, wanted, from)).toBe(long.lastIndexOf(wanted, from));
      }),
    ),
  );
});
