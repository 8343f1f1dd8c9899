import { describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import { kindFromData, widgets } from "./testing/kind-from-data.ts";

const group = "/apis/example.com/v1";
const path = `${group}/namespaces/default/widgets`;
const widget = (name: string, spec: object = { size: 1 }) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});
const apply = { contentType: "application/apply-patch+yaml" };

async function startWithWidgets(): Promise<TestServer> {
  const server = await TestServer.start();
  server.server.kinds.add(kindFromData(widgets));
  return server;
}

describe("a kind that is added while the server runs", () => {
  test("is found through discovery in either form, and in OpenAPI", async () => {
    await using server = await TestServer.start();
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { etag } = (await server.get("/apis", { headers: { accept } })).headers;
    const known = { headers: { accept, "if-none-match": String(etag) } };
    expect(await server.get("/apis", known)).toMatchObject({ status: 304, text: "", headers: { etag } });
    const before = (await server.get("/openapi/v3")).json.paths["apis/example.com/v1"];
    expect([(await server.get(group)).status, before]).toEqual([404, undefined]);
    server.server.kinds.add(kindFromData(widgets));
    const { resources } = (await server.get(group)).json;
    expect(resources.map(({ name, verbs }: { name: string; verbs: string[] }) => [name, verbs.length])).toEqual([
      ["widgets", 8],
      ["widgets/status", 3],
    ]);
    const { groups } = (await server.get("/apis")).json;
    expect(groups.map(({ name }: { name: string }) => name)).toContain("example.com");
    expect((await server.get("/apis", known)).text).toContain('"resource":"widgets"');
    const { serverRelativeURL } = (await server.get("/openapi/v3")).json.paths["apis/example.com/v1"];
    const { paths, components } = (await server.get(serverRelativeURL)).json;
    expect(components.schemas["com.example.v1.Widget"].properties.spec).toBeDefined();
    const { content } = paths[`${group}/namespaces/{namespace}/widgets/{name}`].patch.requestBody;
    expect(Object.keys(content)).toEqual([
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/apply-patch+yaml",
      "application/apply-patch+cbor",
    ]);
    expect((await server.get("/openapi/v2")).json.definitions["com.example.v1.Widget"]).toBeDefined();
  });

  test("is created, read, listed and shown as a Table by its own columns", async () => {
    await using server = await startWithWidgets();
    const made = await server.post(path, widget("a", { size: 3, colour: "red", unknown: true }));
    expect([made.status, made.json.spec, made.json.metadata.generation]).toEqual([201, { size: 3, colour: "red" }, 1]);
    expect((await server.get(`${path}/a`)).json).toEqual(made.json);
    expect((await server.get(path)).json.items).toHaveLength(1);
    const { headers, rows } = await tableOf(server, path);
    expect([headers, rows]).toEqual([["Name", "Size"], [["a", 3]]]);
    const strict = await server.post(`${path}?fieldValidation=Strict`, widget("b", { sizes: 3 }));
    expect(strict.json.message).toContain('unknown field "spec.sizes"');
    const wrong = await server.post(path, widget("b", { size: -1 }));
    expect([wrong.status, wrong.json.message]).toEqual([
      422,
      'Widget.example.com "b" is invalid: spec.size: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  test("accepts a JSON patch, a merge patch and an apply, but nothing that needs a Go type", async () => {
    await using server = await startWithWidgets();
    await server.post(path, widget("a"));
    const json = { contentType: "application/json-patch+json" };
    const patched = await server.patch(`${path}/a`, [{ op: "replace", path: "/spec/size", value: 4 }], json);
    expect(patched.json.spec).toEqual({ size: 4 });
    expect((await server.patch(`${path}/a`, { spec: { colour: "blue" } })).json.spec).toEqual({
      size: 4,
      colour: "blue",
    });
    const applied = await server.patch(`${path}/b?fieldManager=m`, widget("b", { size: 5 }), apply);
    expect([applied.status, applied.json.metadata.managedFields[0].fieldsV1]).toEqual([
      201,
      { "f:spec": { "f:size": {} } },
    ]);
    const conflict = await server.patch(`${path}/b?fieldManager=n`, widget("b", { size: 6 }), apply);
    expect(conflict.json.message).toContain('conflict with "m": .spec.size');
    const strategic = { contentType: "application/strategic-merge-patch+json" };
    expect((await server.patch(`${path}/a`, { spec: { size: 1 } }, strategic)).status).toBe(415);
    const protobuf = Buffer.from([0x6b, 0x38, 0x73, 0, 10, 24, 10, 14, ...Buffer.from("example.com/v1")]);
    const kind = Buffer.from([18, 6, ...Buffer.from("Widget")]);
    const contentType = "application/vnd.kubernetes.protobuf";
    expect((await server.post(path, Buffer.concat([protobuf, kind]), { contentType })).status).toBe(415);
  });

  test("keeps its status separate, is watched, and is deleted alone or as a collection", async () => {
    await using server = await startWithWidgets();
    const watch = await server.watch(`${path}?watch=true`);
    const made = await server.post(path, { ...widget("a"), status: { ready: true } });
    expect(made.json.status).toBeUndefined();
    const status = await server.patch(`${path}/a/status`, { status: { ready: true }, spec: { size: 9 } });
    expect([status.json.spec.size, status.json.status]).toEqual([1, { ready: true }]);
    await server.post(path, widget("b"));
    expect((await server.delete(`${path}/a`)).status).toBe(200);
    expect((await server.delete(path)).json.items).toHaveLength(1);
    const events = await watch.take(5);
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "ADDED a",
      "MODIFIED a",
      "ADDED b",
      "DELETED a",
      "DELETED b",
    ]);
    watch.stop();
  });

  test("is rejected if its names exist, it names an unknown subresource, or it is a view of an unknown kind", async () => {
    await using server = await startWithWidgets();
    const { kinds } = server.server;
    expect(() => kinds.add(kindFromData(widgets))).toThrow("example.com/v1/widgets is served already");
    const other = { ...widgets, resource: "gadgets", kind: "Gadget" };
    const same = kindFromData({ ...other, resource: "things", kind: "Widget" });
    expect(() => kinds.add(same)).toThrow("example.com/v1 Widget is served already");
    expect(() => kinds.add({ ...kindFromData(other), subresources: ["statuses"] })).toThrow(
      "example.com/v1/gadgets names the unknown subresource statuses",
    );
    const view = { of: { ...other, version: "v2" }, toStored: (o: object) => o, fromStored: (o: object) => o };
    expect(() => kinds.add({ ...kindFromData(other), view: view as never })).toThrow("is a view of a kind that is not");
    expect(() => kinds.remove(other)).toThrow("example.com/v1/gadgets is not served");
    expect((await server.get(path)).status).toBe(200);
  });
});

describe("a kind that is removed while the server runs", () => {
  test("ends only its own watches with a status, and is no longer found", async () => {
    await using server = await startWithWidgets();
    await server.post(path, widget("a"));
    const watches = await Promise.all([
      server.watch(`${path}?watch=true&resourceVersion=${server.store.revision()}`),
      server.watch(`${path}?watch=true&fieldSelector=metadata.name=a&resourceVersion=${server.store.revision()}`),
    ]);
    const other = await server.watch(`/api/v1/configmaps?watch=true&resourceVersion=${server.store.revision()}`);
    server.server.kinds.remove(widgets);
    for (const watch of watches) {
      const object = { code: 404, reason: "NotFound", message: "the server could not find the requested resource" };
      expect(await watch.take(2)).toMatchObject([{ type: "ERROR", object }]);
    }
    await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } });
    expect((await other.next())?.type).toBe("ADDED");
    for (const watch of [...watches, other]) watch.stop();
    for (const url of [path, `${path}/a`, group, `${path}?watch=true`]) {
      expect([url, (await server.get(url)).status]).toEqual([url, 404]);
    }
    expect((await server.get("/openapi/v2")).json.definitions["com.example.v1.Widget"]).toBeUndefined();
  });

  test("rejects a write that was waiting at its removal", async () => {
    await using server = await startWithWidgets();
    const writing = server.post(path, widget("late"));
    server.server.kinds.remove(widgets);
    expect((await writing).status).toBe(404);
    expect(server.store.list("example.com/widgets/").entries).toEqual([]);
  });

  test("can be added again under another schema, with its stored objects", async () => {
    await using server = await startWithWidgets();
    await server.post(path, widget("a", { size: 1 }));
    const { kinds } = server.server;
    kinds.remove(widgets);
    kinds.add(kindFromData({ ...widgets, fields: { size: "integer", weight: "integer" } }));
    expect((await server.patch(`${path}/a`, { spec: { weight: 2 } })).json.spec).toEqual({ size: 1, weight: 2 });
  });
});

async function tableOf(server: TestServer, at: string): Promise<{ headers: string[]; rows: unknown[][] }> {
  const { json } = await server.get(at, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
  return {
    headers: json.columnDefinitions.map(({ name }: { name: string }) => name),
    rows: json.rows.map(({ cells }: { cells: unknown[] }) => cells),
  };
}
