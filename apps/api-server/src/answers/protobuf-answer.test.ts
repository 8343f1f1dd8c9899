import {
  builtInKinds,
  apiVersionOf,
  describeSchema,
  ListMeta,
  ObjectMeta,
  Scale,
  Status,
  type TypeDescription,
} from "@kintsugi/api";
import protobuf from "protobufjs/minimal.js";
import { describe, expect, test } from "vitest";
import { decodeProtobuf } from "../protobuf/index.ts";
import { encodeProtobuf } from "../protobuf/testing/encode-protobuf.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { pieceBytesMax } from "./protobuf-list.ts";
import { aReplicaSet, defineLamps, forgetLamps, lampsPath, answeredBytes } from "./testing/answered.ts";

const accept = "application/vnd.kubernetes.protobuf";
const metadataOnly = `${accept};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;

function message(fields: readonly [name: string, protoNumber: number, type: TypeDescription][]): TypeDescription {
  return {
    type: "object",
    name: "",
    fields: new Map(
      fields.map(([name, protoNumber, type]) => [name, { name, protoNumber, type, required: false }] as const),
    ),
  };
}

const byKind = new Map<string, TypeDescription>([
  ...builtInKinds.map(({ type, description }) => [`${apiVersionOf(type)} ${type.kind}`, description] as const),
  ["v1 Status", describeSchema(Status)],
  ["autoscaling/v1 Scale", describeSchema(Scale)],
  ["meta.k8s.io/v1 PartialObjectMetadata", message([["metadata", 1, describeSchema(ObjectMeta)]])],
]);

/** Reads a body as a client does, lists included. */
function read(body: Uint8Array) {
  return decodeProtobuf(body, (apiVersion, kind) => {
    const items = byKind.get(`${apiVersion} ${kind.replace(/List$/, "")}`);
    if (byKind.has(`${apiVersion} ${kind}`) || items === undefined) return byKind.get(`${apiVersion} ${kind}`);
    return message([
      ["metadata", 1, describeSchema(ListMeta)],
      ["items", 2, { type: "list", items }],
    ]);
  });
}

async function call(server: TestServer, method: string, path: string, options: { body?: unknown; as?: string } = {}) {
  const response = await server.send(method, path, {
    headers: { accept: options.as ?? accept },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
  expect(response.headers["content-type"]).toBe(accept);
  const body = answeredBytes(response.body);
  // A long list is made in turns of the clock.
  await server.clock.advance(1);
  return { status: response.status, object: read(await body) };
}

/** Frames of a watch: length, and a message of type and object. */
function eventsOf(bytes: Uint8Array) {
  const events: { type: string; object: unknown }[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    const length = Buffer.from(bytes).readUInt32BE(at);
    const reader = protobuf.Reader.create(bytes.subarray(at + 4, at + 4 + length));
    reader.uint32();
    const type = reader.string();
    reader.uint32();
    reader.uint32();
    reader.uint32();
    events.push({ type, object: read(reader.bytes()) });
    at += 4 + length;
  }
  return events;
}

describe("a client that accepts protobuf alone", () => {
  test("creates, reads, changes and deletes objects", async () => {
    await using server = await TestServer.start();
    const created = await call(server, "POST", podsPath, { body: aPod("web", { labels: { a: "b" } }) });
    expect(created).toMatchObject({ status: 201, object: { kind: "Pod", metadata: { name: "web" } } });
    const { json: stored } = await server.get(`${podsPath}/web`);
    const { object: read } = await call(server, "GET", `${podsPath}/web`);
    expect(read).toMatchObject({ metadata: { labels: { a: "b" }, uid: stored.metadata.uid } });
    expect((read["spec"] as { containers: unknown }).containers).toMatchObject([{ name: "main" }]);
    const changed = await call(server, "PATCH", `${podsPath}/web`, { body: { metadata: { labels: { a: "c" } } } });
    expect(changed).toMatchObject({ status: 200, object: { metadata: { labels: { a: "c" } } } });
    await call(server, "DELETE", `${podsPath}/web?gracePeriodSeconds=0`);
    expect(await call(server, "GET", `${podsPath}/web`)).toMatchObject({
      status: 404,
      object: { kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404, details: { name: "web" } },
    });
  });

  test("receives a Status for a delete and for a refusal", async () => {
    await using server = await TestServer.start();
    await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "c" }, data: { k: "v" } });
    expect(await call(server, "DELETE", "/api/v1/namespaces/default/configmaps/c")).toMatchObject({
      status: 200,
      object: { kind: "Status", status: "Success" },
    });
    const refused = await server.send("GET", podsPath, { headers: { accept }, user: { name: "eve", groups: [] } });
    expect(read(await answeredBytes(refused.body))).toMatchObject({ kind: "Status", code: 403, reason: "Forbidden" });
  });

  test("lists pages and deletes collections", async () => {
    await using server = await TestServer.start();
    for (const name of ["a", "b", "c"]) await server.post(podsPath, aPod(name));
    const { object: page } = await call(server, "GET", `${podsPath}?limit=2`);
    expect(page).toMatchObject({
      kind: "PodList",
      apiVersion: "v1",
      metadata: { resourceVersion: String(server.store.revision()), remainingItemCount: 1, continue: /./ },
      items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }],
    });
    const { object: gone } = await call(server, "DELETE", `${podsPath}?gracePeriodSeconds=0`);
    expect(gone["items"]).toHaveLength(3);
    const { object: empty } = await call(server, "GET", podsPath);
    expect(empty["items"]).toBeUndefined();
  });

  test("receives a list of many chunks whole", async () => {
    await using server = await TestServer.start();
    const text = "x".repeat(pieceBytesMax / 2);
    const path = "/api/v1/namespaces/default/configmaps";
    const names = Array.from({ length: 45 }, (_, i) => `c${String(i).padStart(2, "0")}`);
    for (const name of names) await server.post(path, { metadata: { name }, data: { text } });
    for (const limit of [10, names.length]) {
      const { object } = await call(server, "GET", `${path}?limit=${limit}`);
      const items = object["items"] as { metadata: { name: string }; data: { text: string } }[];
      expect(items.map(({ metadata }) => metadata.name)).toEqual(names.slice(0, limit));
      expect(items.every(({ data }) => data.text === text)).toBe(true);
    }
  });

  test("watches by frames", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("a"));
    const query = "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    const stop = new AbortController();
    const response = await server.send("GET", `${podsPath}?${query}&labelSelector=a!%3Db`, {
      headers: { accept: `${accept};stream=watch` },
      signal: stop.signal,
    });
    expect(response.headers["content-type"]).toBe(`${accept};stream=watch`);
    await server.patch(`${podsPath}/a`, { metadata: { labels: { a: "a" } } });
    await server.patch(`${podsPath}/a`, { metadata: { labels: { a: "b" } } });
    stop.abort();
    const events = eventsOf(await answeredBytes(response.body));
    expect(events).toMatchObject([
      { type: "ADDED", object: { kind: "Pod", metadata: { name: "a" } } },
      { type: "BOOKMARK", object: { kind: "Pod", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } },
      { type: "MODIFIED", object: { metadata: { labels: { a: "a" } } } },
      { type: "DELETED", object: { metadata: { labels: { a: "a" } } } },
    ]);
    const last = events.at(-1)?.object as { metadata: { resourceVersion: string } };
    expect(last.metadata.resourceVersion).toBe(String(server.store.revision()));
  });

  test("receives the metadata of any kind", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("a"));
    const expected = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } };
    const { object } = await call(server, "GET", `${podsPath}/a`, { as: metadataOnly });
    expect(object).toMatchObject(expected);
    expect(object["spec"]).toBeUndefined();
    const { object: list } = await call(server, "GET", podsPath, { as: metadataOnly });
    expect(list).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ metadata: { name: "a" } }] });
  });

  test("receives scales, reviews and evictions", async () => {
    await using server = await TestServer.start();
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
    const sent = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", metadata: {}, spec };
    const type = byKind.get("authorization.k8s.io/v1 SelfSubjectAccessReview");
    const response = await server.send("POST", path, {
      body: encodeProtobuf(sent, type as TypeDescription),
      contentType: accept,
      headers: { accept },
    });
    expect(read(await answeredBytes(response.body))).toMatchObject({ status: { allowed: true } });
    await server.post("/apis/apps/v1/namespaces/default/replicasets", aReplicaSet);
    const { object: scale } = await call(server, "GET", "/apis/apps/v1/namespaces/default/replicasets/r/scale");
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 3 } });
    await server.post(podsPath, aPod("a"));
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };
    expect(await call(server, "POST", `${podsPath}/a/eviction`, { body: eviction })).toMatchObject({
      status: 201,
      object: { kind: "Status", status: "Success" },
    });
  });

  test("receives no Table in protobuf", async () => {
    await using server = await TestServer.start();
    const table = "as=Table;g=meta.k8s.io;v=v1";
    const refused = await server.get(podsPath, { headers: { accept: `${accept};${table}` } });
    expect(refused).toMatchObject({ status: 406, json: { reason: "NotAcceptable" } });
    const both = { headers: { accept: `${accept};${table},application/json;${table},${accept}` } };
    expect((await server.get(podsPath, both)).json.kind).toBe("Table");
  });
});

test("a custom kind is served in protobuf only as metadata", async () => {
  await using server = await TestServer.start();
  await defineLamps(server);
  await server.post(lampsPath, { apiVersion: "example.com/v1", kind: "Lamp", metadata: { name: "l" }, watts: 5 });
  expect((await server.get(`${lampsPath}/l`, { headers: { accept } })).status).toBe(406);
  expect((await server.get(lampsPath, { headers: { accept: `${accept},application/json` } })).json.items).toHaveLength(
    1,
  );
  const { object } = await call(server, "GET", lampsPath, { as: metadataOnly });
  expect(object).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ metadata: { name: "l" } }] });
  const response = await server.send("GET", `${lampsPath}?watch=true`, { headers: { accept: metadataOnly } });
  await forgetLamps(server);
  const events = eventsOf(await answeredBytes(response.body));
  expect(events.map(({ type }) => type)).toEqual(["ADDED", "DELETED", "ERROR"]);
  expect(events.at(-1)?.object).toMatchObject({ kind: "Status", code: 404 });
});
