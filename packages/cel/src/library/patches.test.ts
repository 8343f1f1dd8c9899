import { expect, test } from "vitest";
import { compileCel } from "../compile-cel.ts";
import { celToJson } from "./patches.ts";

function valueOf(text: string): unknown {
  const result = compileCel(text).evaluate({}, { costLeft: 1_000_000 });
  if (result.outcome !== "value") throw new Error(result.outcome);
  return result.value;
}

test("a result becomes JSON without its empty optionals", () => {
  expect(celToJson(valueOf("{'a': [1, 'x', null], 'b': optional.none(), 'c': optional.of(true)}"))).toEqual({
    a: [1, "x", null],
    c: true,
  });
  expect(() => celToJson(valueOf("{1: 2}"))).toThrow("the value has a key that is not text");
});

test("the evaluation of a recursive result ends", () => {
  let text = "x40";
  for (let depth = 40; depth > 0; depth--) text = `cel.bind(x${depth}, [x${depth - 1}, x${depth - 1}], ${text})`;
  expect(() => celToJson(valueOf(`cel.bind(x0, 1, ${text})`))).toThrow("the value is larger than 3145728 bytes");
});
