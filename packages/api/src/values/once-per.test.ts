import { expect, test } from "vitest";
import { oncePer } from "./once-per.ts";

test("each key's value is computed once, even if it is false or empty", () => {
  const asked: object[] = [];
  const [one, other] = [{}, {}];
  const isOther = oncePer((key: object) => {
    asked.push(key);
    return key === other;
  });
  expect([isOther(one), isOther(one), isOther(other), isOther(other)]).toEqual([false, false, true, true]);
  expect(asked).toEqual([one, other]);
});
