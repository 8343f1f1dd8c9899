import { expect, test } from "vitest";
import { inTurns } from "./path-shares.ts";

test("messages of a namespace with many messages follow the first messages of other namespaces", () => {
  const messages = ["a1", "a2", "a3", "b1", "b2", "c1"].map((text) => ({ namespace: text.slice(0, 1), text }));
  expect(inTurns(messages).map(({ text }) => text)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});
