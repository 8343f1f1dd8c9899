import type { DiscoveredType } from "@kintsugi/client";
import { expect, test } from "vitest";
import { planCompletion } from "./complete-command.ts";

const type = (resource: string, more: Partial<DiscoveredType> = {}): DiscoveredType => ({
  group: "",
  version: "v1",
  resource,
  singular: resource.replace(/s$/, ""),
  kind: resource,
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["get", "list", "delete"],
  ...more,
});
const types = [
  type("configmaps"),
  type("pods", { shortNames: ["po"] }),
  type("nodes", { namespaced: false }),
  type("deployments", { group: "apps", shortNames: ["deploy"] }),
];

test.each([
  ["", ["get", "describe", "logs"]],
  ["d", ["describe", "drain", "delete"]],
  ["get p", ["pods"]],
  ["get ", ["pods", "nodes", "deployments", "configmaps"]],
  ["scale ", ["deployment"]],
  ["get pods -o ", ["wide", "yaml"]],
  ["drain node-1 --i", ["--ignore-daemonsets"]],
  ["scale deployment web --r", ["--replicas="]],
  ["get unknown ", []],
])("“%s” is completed with words", (line, words) => {
  const plan = planCompletion(line, types);
  const shown = words.length === 0 ? undefined : words.length;
  expect(plan.is === "words" && plan.words.slice(0, shown)).toEqual(words);
});

test.each([
  ["get po we", "pods", "we", ""],
  ["describe deploy/w", "deployments", "w", "deploy/"],
  ["drain ", "nodes", "", ""],
  ["logs web", "pods", "web", ""],
])("“%s” is completed with the names of objects", (line, resource, from, before) => {
  expect(planCompletion(line, types)).toMatchObject({ is: "names", type: { resource }, from, before });
});
