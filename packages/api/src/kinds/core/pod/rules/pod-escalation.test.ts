import { expect, test } from "vitest";
import { avoidedNodes, parsePodEscalation } from "./pod-escalation.ts";

test.each([
  ["containerRestarts=3,podRestarts=2", { containerRestarts: 3, podRestarts: 2 }],
  [" podRestarts=0 , containerRestarts=1 ", { containerRestarts: 1, podRestarts: 0 }],
])("the escalation %j is parsed", (text, escalation) => {
  expect(parsePodEscalation(text)).toEqual(escalation);
});

test.each([
  ["", 'must be like "containerRestarts=3,podRestarts=2"'],
  ["on", 'must be like "containerRestarts=3,podRestarts=2"'],
  ["containerRestarts=3", "must name both containerRestarts and podRestarts"],
  ["containerRestarts=3,podRestarts=2,nodes=1", "must be like"],
  ["containerRestarts=3,containerRestarts=4,podRestarts=2", "containerRestarts is listed twice"],
  ["containerRestarts=three,podRestarts=2", "containerRestarts must be a whole number"],
  ["containerRestarts=-1,podRestarts=2", "containerRestarts must be a whole number"],
  ["containerRestarts=0,podRestarts=2", "containerRestarts must be between 1 and 20"],
  ["containerRestarts=21,podRestarts=2", "containerRestarts must be between 1 and 20"],
  ["containerRestarts=3,podRestarts=11", "podRestarts must be between 0 and 10"],
])("the escalation %j is rejected", (text, because) => {
  expect(() => parsePodEscalation(text)).toThrow(because);
});

test("the nodes to avoid are parsed, at most five", () => {
  const pod = (text: string) => ({ metadata: { annotations: { "kintsugi.dev/avoid-nodes": text } } });
  expect(avoidedNodes({ metadata: {} })).toEqual([]);
  expect(avoidedNodes(pod("a, b,,"))).toEqual(["a", "b"]);
  expect(avoidedNodes(pod("a,b,c,d,e,f"))).toEqual(["a", "b", "c", "d", "e"]);
});
