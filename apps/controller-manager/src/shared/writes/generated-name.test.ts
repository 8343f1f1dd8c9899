import { SeededRandom } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { generatedName } from "./generated-name.ts";

const draw = (prefix: string, isTaken: (name: string) => boolean = () => false) =>
  generatedName(prefix, { random: new SeededRandom(1), isTaken });

test("a name is generated as the server generates it", () => {
  expect(draw("web-")).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test("a name has at most 63 characters", () => {
  expect(draw("x".repeat(80))).toHaveLength(63);
});

test("a name that exists is not generated", () => {
  const first = draw("web-");
  expect(draw("web-", (name) => name === first)).not.toBe(first);
});

test("the generation ends if every name exists", () => {
  expect(() => draw("web-", () => true)).toThrow("all of them are taken");
});
