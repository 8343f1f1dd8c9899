import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PictureSource, RawObject } from "@kintsugi/rehearsal";
import { afterAll, expect, test } from "vitest";
import { changedSource } from "./changed-source.ts";

const directory = mkdtempSync(join(tmpdir(), "rehearsal-change-"));
afterAll(() => rmSync(directory, { recursive: true }));

const container = { name: "app", image: "app:1", resources: { requests: { cpu: "1" } } };
const web: RawObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "web", generation: 4 },
  spec: {
    replicas: 7,
    selector: { matchLabels: { app: "web" } },
    template: { spec: { containers: [container], topologySpreadConstraints: [{ maxSkew: 1 }] } },
  },
};
const owned = (kind: string, name: string, uid: string, owner: string): RawObject => ({
  apiVersion: kind === "Pod" ? "v1" : "apps/v1",
  kind,
  metadata: { name, namespace: "shop", uid, ownerReferences: [{ uid: owner }] },
});
const source: PictureSource = {
  name: "cluster.json",
  objects: [web, owned("ReplicaSet", "web-1", "set", "web"), owned("Pod", "web-1-a", "pod", "set")],
  listed: [],
  isWhole: false,
};

function change(text: object | string) {
  const path = join(directory, "change.yaml");
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  const { source: changed, objects } = changedSource(source, path);
  return { objects, web: changed.objects.find(({ kind }) => kind === "Deployment"), all: changed.objects };
}

const named = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } };

test("a patch merges containers by their names, and counts as a new generation", () => {
  const containers = [{ name: "app", image: "app:2" }];
  const { objects, web: patched } = change({ ...named, spec: { template: { spec: { containers } } } });
  expect(objects).toEqual(["changed shop/deployment/web"]);
  expect(patched).toMatchObject({
    metadata: { generation: 5, uid: "web" },
    spec: { replicas: 7, template: { spec: { containers: [{ ...container, image: "app:2" }] } } },
  });
});

test("a whole manifest replaces the spec, and leaves the replicas to the manager that set them", () => {
  const template = { spec: { containers: [{ name: "app", image: "app:2" }] } };
  const selector = { matchLabels: { app: "web" } };
  expect(change({ ...named, spec: { selector, template } }).web?.["spec"]).toEqual({ replicas: 7, selector, template });
});

test("an unchanged, a new and an unmodelled object are distinguished", () => {
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } };
  const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "b", namespace: "shop" } };
  const list = { apiVersion: "v1", kind: "List", items: [{ ...named, spec: { replicas: 7 } }, budget, settings] };
  expect(change(list).objects).toEqual([
    "unchanged shop/deployment/web",
    "added shop/poddisruptionbudget/b",
    "ignored shop/configmap/a: v1 ConfigMap is not modelled",
  ]);
});

test("a removed workload also removes its dependents", () => {
  const { objects, all } = change({ ...named, $patch: "delete" });
  expect(objects).toEqual(["removed shop/deployment/web"]);
  expect(all).toEqual([]);
});

test.each([
  [{ ...named, metadata: {} }, /a Deployment has no metadata\.name/],
  [
    { ...named, metadata: { name: "no" }, $patch: "delete" },
    /default\/deployment\/no is to be removed, but the source/,
  ],
  [{ ...named, spec: { template: { spec: { containers: [{ image: "x" }] } } } }, /the patch of shop\/deployment\/web/],
  ["kind: List\napiVersion: v1\nitems: []\n", /contains no object/],
])("%j is rejected with one sentence", (text, sentence) => {
  expect(() => change(text)).toThrow(sentence);
});
