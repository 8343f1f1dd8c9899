import { aPod, type Answer, podsPath, type TestServer } from "./test-server.ts";

/** A request of each verb on a server with the objects of `prepareWrites`. */
export interface WriteCall {
  readonly verb: string;
  readonly operation: "create" | "update" | "delete";
  readonly subresource?: string;
  send: (server: TestServer) => Promise<Answer>;
}

export const mapsPath = "/api/v1/namespaces/default/configmaps";
const deploymentsPath = "/apis/apps/v1/namespaces/default/deployments";
const mapPath = `${mapsPath}/here`;
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "here" }, data: { a: "2" } };
const applied = { contentType: "application/apply-patch+yaml" };

/** Objects to which the calls write. */
export async function prepareWrites(server: TestServer): Promise<void> {
  await server.post(mapsPath, { ...map, data: { a: "1" } });
  await server.post(podsPath, aPod("web"));
  const labels = { app: "web" };
  await server.post(deploymentsPath, {
    metadata: { name: "web" },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: aPod("web").spec } },
  });
}

/** Writes whose object steps can change. */
export const changingCalls: readonly WriteCall[] = [
  {
    verb: "create",
    operation: "create",
    send: (server) => server.post(mapsPath, { ...map, metadata: { name: "new" } }),
  },
  {
    verb: "create with a generated name",
    operation: "create",
    send: (server) => server.post(mapsPath, { ...map, metadata: { generateName: "new-" } }),
  },
  { verb: "update", operation: "update", send: (server) => server.put(mapPath, map) },
  {
    verb: "merge patch",
    operation: "update",
    send: (server) => server.patch(mapPath, { data: { a: "2" } }),
  },
  {
    verb: "strategic merge patch",
    operation: "update",
    send: (server) =>
      server.patch(mapPath, { data: { a: "2" } }, { contentType: "application/strategic-merge-patch+json" }),
  },
  {
    verb: "JSON patch",
    operation: "update",
    send: (server) =>
      server.patch(mapPath, [{ op: "replace", path: "/data/a", value: "2" }], {
        contentType: "application/json-patch+json",
      }),
  },
  {
    verb: "apply that creates",
    operation: "create",
    send: (server) => server.patch(`${mapsPath}/new?fieldManager=me`, { ...map, metadata: { name: "new" } }, applied),
  },
  {
    verb: "apply that updates",
    operation: "update",
    send: (server) => server.patch(`${mapPath}?fieldManager=me&force=true`, map, applied),
  },
  {
    verb: "update of the status",
    operation: "update",
    subresource: "status",
    send: (server) => server.patch(`${podsPath}/web/status`, { status: { phase: "Running" } }),
  },
];

/** All other stored kinds. */
const otherCalls: readonly WriteCall[] = [
  {
    verb: "update of the scale",
    operation: "update",
    subresource: "scale",
    send: (server) => server.patch(`${deploymentsPath}/web/scale`, { spec: { replicas: 3 } }),
  },
  {
    verb: "binding",
    operation: "create",
    subresource: "binding",
    send: (server) =>
      server.post(`${podsPath}/web/binding`, { metadata: { name: "web" }, target: { kind: "Node", name: "n1" } }),
  },
  {
    verb: "eviction",
    operation: "create",
    subresource: "eviction",
    send: (server) => server.post(`${podsPath}/web/eviction`, { metadata: { name: "web" } }),
  },
  { verb: "delete", operation: "delete", send: (server) => server.delete(mapPath) },
  { verb: "deletecollection", operation: "delete", send: (server) => server.delete(mapsPath) },
];

export const allCalls = [...changingCalls, ...otherCalls];
