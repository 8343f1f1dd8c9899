import { expect, test } from "vitest";
import { nearestWord, suggest } from "./nearest-word.ts";

const words = ["kill-node", "cut-node", "kill-service", "restart-kubelet"];

test.each([
  ["kil-node", "kill-node"],
  ["Kill-Node", "kill-node"],
  ["ctu-node", "cut-node"],
  ["kill-servce", "kill-service"],
  ["kubelet-restart", undefined],
  ["restart", "restart-kubelet"],
  ["kill", "kill-node"],
  ["x", undefined],
])("%j is nearest to %j", (word, nearest) => {
  expect(nearestWord(word, words)).toBe(nearest);
});

test("if nothing is near, every known word is listed", () => {
  expect(suggest("earthquake", words)).toBe("known are kill-node, cut-node, kill-service, restart-kubelet");
  expect(suggest("kill-nod", words)).toBe('did you mean "kill-node"?');
  expect(suggest("node-1", [])).toBe("there is none");
});
