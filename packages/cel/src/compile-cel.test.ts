import { expect, test } from "vitest";
import { compileCel, HeldExpressions, isCompiled } from "./compile-cel.ts";

const large = (index: number) => `[${"1,".repeat(4_000)}${index}] == []`;

test("a held text remains compiled, whatever other callers compile in the meantime", () => {
  const held = new HeldExpressions();
  held.add("1 == 41");
  const first = compileCel("1 == 41");
  for (let index = 0; index < 10; index++) compileCel(large(index));
  expect(isCompiled(large(0))).toBe(false);
  expect(compileCel("1 == 41")).toBe(first);
  held[Symbol.dispose]();
  expect(isCompiled("1 == 41")).toBe(false);
});

test("an expression with two holders remains compiled until both have released it", () => {
  const [one, two] = [new HeldExpressions(), new HeldExpressions()];
  for (const held of [one, two, one]) held.add("1 == 42");
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  expect(isCompiled("1 == 42")).toBe(true);
  two[Symbol.dispose]();
  expect(isCompiled("1 == 42")).toBe(false);
});

test("held expressions use no cache entries of other expressions", () => {
  compileCel("1 == 43");
  using held = new HeldExpressions();
  for (let index = 0; index < 10; index++) held.add(large(index));
  expect(isCompiled("1 == 43")).toBe(true);
});

test("an invalid text is parsed once while it is held", () => {
  using held = new HeldExpressions();
  held.add("1 ==");
  const errors = [1, 2].map(() => {
    try {
      return compileCel("1 ==");
    } catch (error) {
      return error;
    }
  });
  expect(errors[0]).toBeInstanceOf(Error);
  expect(errors[1]).toBe(errors[0]);
});

test("an expression is compiled in steps between which another holder may add and release it", () => {
  const [one, two] = [new HeldExpressions(), new HeldExpressions()];
  const steps = one.steps(["1 == 44"]);
  expect(steps.next().done).toBe(false);
  expect(isCompiled("1 == 44")).toBe(false);
  two.add("1 == 44");
  for (const _ of steps) expect(isCompiled("1 == 44")).toBe(true);
  two[Symbol.dispose]();
  expect(isCompiled("1 == 44")).toBe(true);
  one[Symbol.dispose]();
  expect(isCompiled("1 == 44")).toBe(false);
});
