import { ApiError } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { RawRequest } from "../client.ts";
import { ConnectionError } from "../rest/connection-error.ts";
import { discoverTypes, TypeDiscovery } from "./discover-types.ts";

const verbs = ["get", "list"];
const pods = { group: "", version: "v1", resource: "pods", singular: "pod", kind: "Pod", namespaced: true, verbs };
const nodes = { group: "", version: "v1", resource: "nodes", singular: "node", kind: "Node", namespaced: false, verbs };
const widgets = {
  ...pods,
  group: "example.com",
  version: "v2",
  resource: "widgets",
  singular: "widget",
  kind: "Widget",
};
const expected = [
  { ...pods, shortNames: ["po"], categories: ["all"] },
  { ...nodes, shortNames: [], categories: [] },
  { ...widgets, shortNames: [], categories: [] },
];

function answering(answers: Readonly<Record<string, unknown>>) {
  return {
    call: ({ path }: RawRequest) => {
      const answer = answers[path];
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(answer ?? {});
    },
  };
}

const { signal } = new AbortController();

function aggregatedResource({ resource, singular, kind, namespaced }: typeof pods, more: object = {}) {
  const scope = namespaced ? "Namespaced" : "Cluster";
  return { resource, singularResource: singular, responseKind: { kind }, scope, verbs, ...more };
}

test("each resource is found once, in its group's preferred version, with one request for each root", async () => {
  const core = [aggregatedResource(pods, { shortNames: ["po"], categories: ["all"] }), aggregatedResource(nodes)];
  const list = (name: string, versions: object[]) => ({
    kind: "APIGroupDiscoveryList",
    items: [{ metadata: { name }, versions }],
  });
  const widget = aggregatedResource(widgets);
  const client = answering({
    "/api": list("", [{ version: "v1", freshness: "Current", resources: core }]),
    "/apis": list("example.com", [
      { version: "v2", freshness: "Current", resources: [widget] },
      { version: "v1", freshness: "Current", resources: [widget] },
      { version: "v1alpha1", freshness: "Stale" },
    ]),
  });
  expect(await discoverTypes(client, signal)).toEqual({ types: expected, unknownGroups: ["example.com"] });
});

test("a server without aggregated discovery is queried group by group, and an unavailable group is named", async () => {
  const listed = ({ resource, singular, kind, namespaced }: typeof pods, more: object = {}) => [
    { name: resource, singularName: singular, kind, namespaced, verbs, ...more },
    { name: `${resource}/status`, singularName: "", kind, namespaced, verbs },
  ];
  const client = answering({
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": {
      kind: "APIGroupList",
      groups: [
        { name: "example.com", versions: [{ version: "v1" }, { version: "v2" }], preferredVersion: { version: "v2" } },
        { name: "away.example.com", versions: [{ version: "v1" }] },
      ],
    },
    "/api/v1": { resources: [...listed(pods, { shortNames: ["po"], categories: ["all"] }), ...listed(nodes)] },
    "/apis/example.com/v1": { resources: listed(widgets) },
    "/apis/example.com/v2": { resources: listed(widgets) },
    "/apis/away.example.com/v1": new ApiError("ServiceUnavailable", "the server is currently unable"),
  });
  expect(await discoverTypes(client, signal)).toEqual({ types: expected, unknownGroups: ["away.example.com"] });
});

test("a server that does not answer is not treated as a server without resources", async () => {
  const away = new ConnectionError("no answer", { operation: "GET /api", outcomeUnknown: false });
  await expect(discoverTypes(answering({ "/api": away }), signal)).rejects.toBe(away);
});

test("an unchanged document is not parsed again, and is the same object", async () => {
  const asked: (string | undefined)[] = [];
  let tag = '"A"';
  const client = {
    call: ({ path, ifNoneMatch, onHeaders }: RawRequest) => {
      asked.push(ifNoneMatch);
      const etag = path === "/api" ? '"core"' : tag;
      if (ifNoneMatch === etag) return Promise.resolve(undefined);
      onHeaders?.({ etag });
      const resources = [aggregatedResource(path === "/api" ? pods : widgets)];
      const name = path === "/api" ? "" : "example.com";
      const items = [{ metadata: { name }, versions: [{ version: "v1", freshness: "Current", resources }] }];
      return Promise.resolve({ kind: "APIGroupDiscoveryList", items });
    },
  };
  const discovery = new TypeDiscovery(client);
  const first = await discovery.read(signal);
  expect(await discovery.read(signal)).toBe(first);
  tag = '"B"';
  const changed = await discovery.read(signal);
  expect(changed).not.toBe(first);
  expect(changed.types.map(({ resource }) => resource)).toEqual(["pods", "widgets"]);
  expect(asked).toEqual([undefined, undefined, '"core"', '"A"', '"core"', '"A"']);
});
