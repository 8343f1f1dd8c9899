import { ApiError, type OwnerReference, type Pod } from "@kintsugi/api";
import type { RawRequest } from "@kintsugi/client";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { aPod } from "../../testing/test-cluster.ts";
import { OwnerScales } from "./owner-scales.ts";

const verbs = ["get", "list"];
const discovery = (group: string, kind: string, scope: string, resource: string) => ({
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: { name: group },
      versions: [
        { version: "v1", freshness: "Current", resources: [{ resource, responseKind: { kind }, scope, verbs }] },
      ],
    },
  ],
});

const owner: OwnerReference = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  name: "web",
  uid: "uid-of-web",
  controller: true,
};
const scalePath = "/apis/example.com/v1/namespaces/default/widgets/web/scale";
const widgetScale = { metadata: { name: "web", uid: "uid-of-web" }, spec: { replicas: 4 } };

/** Owners read through an API that serves Widgets and Nodes, and returns these responses. */
function reading(answers: Readonly<Record<string, unknown>> = { [scalePath]: widgetScale }) {
  const paths: string[] = [];
  const served: Readonly<Record<string, unknown>> = {
    "/api": discovery("", "Node", "Cluster", "nodes"),
    "/apis": discovery("example.com", "Widget", "Namespaced", "widgets"),
    ...answers,
  };
  const call = ({ path }: RawRequest) => {
    paths.push(path);
    const answer = served[path] ?? new ApiError("NotFound", "could not find the resource");
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const clock = new VirtualClock();
  const scales = new OwnerScales({ client: { call: call as never }, clock, sources: {} });
  const read = async (...owners: OwnerReference[]) => {
    const pods: Pod[] = owners.map((reference, index) => {
      const pod = aPod(`pod-${index}`);
      return { ...pod, metadata: { ...pod.metadata, ownerReferences: [reference] } };
    });
    return scales.read(pods, new AbortController().signal);
  };
  return { read, paths };
}

test("an owner of an unwatched kind counts by its scale, which is read once for all of its pods", async () => {
  const { read, paths } = reading();
  const findScale = await read(owner, owner, owner);
  expect(findScale(owner)).toEqual({ uid: "uid-of-web", replicas: 4 });
  expect(paths).toEqual(["/api", "/apis", scalePath]);
});

test.each<[string, OwnerReference, Record<string, unknown>, unknown]>([
  ["is another of its name", { ...owner, uid: "another" }, { [scalePath]: widgetScale }, undefined],
  ["does not exist", owner, { [scalePath]: new ApiError("NotFound", "gone", { details: { name: "web" } }) }, undefined],
  ["has no scale", owner, {}, { because: "widgets.example.com does not implement the scale subresource" }],
  [
    "cannot be read",
    owner,
    { [scalePath]: new ApiError("Forbidden", "widgets are secret") },
    { because: "widgets are secret" },
  ],
  [
    "is a node",
    { ...owner, apiVersion: "v1", kind: "Node" },
    {},
    { because: "nodes does not implement the scale subresource" },
  ],
  [
    "has an unknown kind",
    { ...owner, kind: "Gadget" },
    {},
    { because: 'no matches for kind "Gadget" in version "example.com/v1"' },
  ],
])("an owner that %s is reported as such", async (_, reference, answers, expected) => {
  const { read } = reading(answers);
  expect((await read(reference))(reference)).toEqual(expected);
});

test("an API server that does not answer is an error, and not an answer about the owner", async () => {
  const { read } = reading({ [scalePath]: new Error("connection reset") });
  await expect(read(owner)).rejects.toThrow("connection reset");
});

test("pods that name ever more owners cause a limited number of requests", async () => {
  const { read, paths } = reading();
  const owners = Array.from({ length: 150 }, (_, index) => ({ ...owner, name: `w-${index}`, uid: `uid-${index}` }));
  const findScale = await read(...owners);
  expect(paths.filter((path) => path.endsWith("/scale"))).toHaveLength(100);
  expect(findScale(owners[149]!)).toEqual({
    because: "more than 100 controllers of its pods are of kinds that are not watched",
  });
});
