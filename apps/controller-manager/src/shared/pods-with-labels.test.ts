import { parseLabelSelector, type Pod, selectsNothing } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { expect, test } from "vitest";
import { podsNear, podsWithLabels } from "./pods-with-labels.ts";

const named = (name: string) => ({ metadata: { name } }) as Pod;
const indexed: Readonly<Record<string, readonly Pod[]>> = {
  "label a/app=web": [named("web-1"), named("web-2")],
  "label a/tier=front": [named("web-1"), named("web-2"), named("shop-1")],
  "namespace a": [named("web-1"), named("web-2"), named("shop-1"), named("db-1")],
};
const informer = {
  byIndex: (index: string, value: string) => indexed[`${index} ${value}`] ?? [],
} as unknown as Informer<Pod>;

test.each([
  [{ app: "web" }, 2],
  [{ tier: "front", app: "web" }, 2],
  [{ tier: "front" }, 3],
  [{ tier: "front", app: "none" }, 0],
  [{}, 4],
  [undefined, 4],
])("the pods with %j are among %i", (labels, count) => {
  expect(podsWithLabels(informer, "a", labels)).toHaveLength(count);
});

test("excludes pods of other namespaces", () => {
  expect(podsWithLabels(informer, "b", { app: "web" })).toEqual([]);
});

test.each([
  ["app=web", 2],
  ["app in (web),tier=front", 2],
  ["app=web,tier!=back", 2],
  ["app in (web,db)", 4],
  ["app", 4],
])("the pods that %s selects are among %i", (text, count) => {
  expect(podsNear(informer, "a", parseLabelSelector(text))).toHaveLength(count);
});

test("an empty selector has no candidate pods", () => {
  expect(podsNear(informer, "a", selectsNothing)).toEqual([]);
});
