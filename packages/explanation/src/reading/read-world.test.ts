import { ApiError, type ApiObject, profiles, type ResourceType } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { ListingOptions } from "./object-reader.ts";
import { readWorld } from "./read-world.ts";

type List = (type: ResourceType, options?: ListingOptions) => Promise<{ items: ApiObject[]; resourceVersion: string }>;
const settings = { timers: profiles.fast, nowMs: () => 5 };
const pod = { resource: "pods" as const, object: { metadata: { name: "p", namespace: "shop" } } };

test("kinds that may not be read are listed, and other kinds are read", async () => {
  const list: List = async ({ resource }) => {
    if (resource === "nodes" || resource === "leases") throw new ApiError("Forbidden", "no");
    if (resource === "storageclasses") throw new ApiError("NotFound", "no such kind");
    return { items: [{ metadata: { name: resource } }], resourceVersion: "1" };
  };
  const { world, unread } = await readWorld({ list: list as never }, pod, settings);
  expect(Object.keys(world.objects)).not.toContain("nodes");
  expect(world.objects.pods).toHaveLength(1);
  expect(unread).toEqual([
    "nodes of the cluster: you may not list these objects, so the explanation may be incomplete.",
    "leases of the namespace kube-node-lease: you may not list these objects, so the explanation may be incomplete.",
    "storageclasses of the cluster: the API server does not serve these objects, so the explanation may be incomplete.",
  ]);
});

test("a failure other than a refusal is not hidden", async () => {
  const list: List = () => Promise.reject(new ApiError("InternalError", "broken"));
  await expect(readWorld({ list: list as never }, pod, settings)).rejects.toThrow("broken");
});

test("for a node only its own pods are read", async () => {
  const asked: [string, ListingOptions | undefined][] = [];
  const list: List = async ({ resource }, options) => {
    asked.push([resource, options]);
    return { items: [], resourceVersion: "1" };
  };
  const node = { resource: "nodes" as const, object: { metadata: { name: "n1" } } };
  await readWorld({ list: list as never }, node, settings);
  expect(asked).toContainEqual(["pods", { fieldSelector: "spec.nodeName=n1" }]);
});
