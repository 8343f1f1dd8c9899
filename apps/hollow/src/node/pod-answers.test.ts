import { expect, test } from "vitest";
import { answerOfPort, printedAtStart } from "./behaviour.ts";
import { completedAnnotations } from "./pod-answers.ts";

const data = { logs: "from the map", "port-80": "hello", unrelated: "x" };
const read = (namespace: string, name: string) => (namespace === "shop" && name === "web" ? data : undefined);

test("a ConfigMap provides the answers that the pod's annotations lack", () => {
  const named = { "kintsugi.dev/answers": "web" };
  const of = (annotations: Record<string, string>) => completedAnnotations({ namespace: "shop", annotations }, read);
  expect(printedAtStart(of(named))).toBe("from the map\n");
  expect(printedAtStart(of({ ...named, "kintsugi.dev/logs": "own" }))).toBe("own\n");
  expect(answerOfPort(of(named), 80)).toBe("hello");
  expect(answerOfPort(of(named), 81)).toBeUndefined();
  expect(answerOfPort(of({}), 80)).toBeUndefined();
});

test("a pod whose ConfigMap does not exist has the answers of its annotations", () => {
  const annotations = { "kintsugi.dev/answers": "gone", "kintsugi.dev/logs": "own" };
  expect(completedAnnotations({ namespace: "shop", annotations }, read)).toEqual(annotations);
  expect(completedAnnotations({ namespace: "shop", annotations }, undefined)).toEqual(annotations);
});
