import { expect, test } from "vitest";
import { acceptWord, lastWord, sharedBeginning } from "./typed-line.ts";

test("a suggestion replaces the word that is being typed, and a flag with a value stays open", () => {
  expect(acceptWord("get po", "pods")).toBe("get pods ");
  expect(acceptWord("scale deployment web --re", "--replicas=")).toBe("scale deployment web --replicas=");
  expect(acceptWord("get pods ", "web-0")).toBe("get pods web-0 ");
  expect(lastWord("get po")).toBe("po");
  expect(lastWord("get ")).toBe("");
});

test("several suggestions share their beginning", () => {
  expect(sharedBeginning(["node-1", "node-12", "node-2"])).toBe("node-");
  expect(sharedBeginning(["web"])).toBe("web");
  expect(sharedBeginning([])).toBe("");
});
