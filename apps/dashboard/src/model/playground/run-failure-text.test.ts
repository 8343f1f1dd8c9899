import { expect, test } from "vitest";
import { runFailureText } from "./run-failure-text.ts";

test("a failure is said without the text of an object", () => {
  const failure = "no-write-loops: 2001 changes at one instant, the last of core/pods/default/web-a";
  expect(runFailureText(`${failure}: {"kind":"Pod","metadata":{"name":"web-a"}}`)).toBe(failure);
  expect(runFailureText("cluster-converges: not recovered yet: web")).toBe("cluster-converges: not recovered yet: web");
});
