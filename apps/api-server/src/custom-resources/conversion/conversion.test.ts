import { describe, expect, test } from "vitest";
import type { WebhookAnswer, WebhookTarget, WebhookTransport } from "../../admission/webhooks/webhook-transport.ts";
import { leastProcessorMs } from "../../testing/least-processor-ms.ts";
import { TestServer } from "../../testing/test-server.ts";
import { definitionsPath, establish } from "../testing/cron-tabs.ts";

// The example of Kubernetes' documentation: v1 has host and port, v1beta1 has hostPort.

// oxlint-disable-next-line typescript/no-explicit-any -- the webhook changes objects of any version
type Any = any;

const name = "endpoints.example.com";
const at = (version: string) => `/apis/example.com/${version}/namespaces/default/endpoints`;

function definition(storage = "v1beta1") {
  const text = { type: "string" };
  const version = (of: string, properties: object) => ({
    name: of,
    served: true,
    storage: of === storage,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties }, status: { type: "object", properties: { ready: text } } },
      },
    },
  });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "endpoints", kind: "Endpoint" },
      versions: [version("v1", { host: text, port: text }), version("v1beta1", { hostPort: text })],
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url: "https://webhooks.test/convert" },
          conversionReviewVersions: ["v1", "v1beta1"],
        },
      },
    },
  };
}

function converted(object: Any, desired: string): Any {
  if (object.apiVersion === desired) return object;
  const { spec = {} } = object;
  const [host = "", port = ""] = (spec.hostPort ?? "").split(":");
  const next = desired.endsWith("/v1") ? { host, port } : { hostPort: `${spec.host ?? ""}:${spec.port ?? ""}` };
  return { ...object, apiVersion: desired, spec: next };
}

class Converter implements WebhookTransport {
  calls: { url: string; sizes: number }[] = [];
  /** Changes an answer before it is sent. */
  spoil: (review: Any) => Any = (review) => review;

  post({ url }: WebhookTarget, body: string): Promise<WebhookAnswer> {
    const { request } = JSON.parse(body) as Any;
    this.calls.push({ url, sizes: request.objects.length });
    const convertedObjects = request.objects.map((object: Any) => converted(object, request.desiredAPIVersion));
    const review = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: { uid: request.uid, result: { status: "Success" }, convertedObjects },
    };
    return Promise.resolve({ status: 200, body: JSON.stringify(this.spoil(review)) });
  }
}

async function start(converter: WebhookTransport, defined: object = definition()): Promise<TestServer> {
  const server = await TestServer.start({}, { webhookTransport: converter });
  const { status, text } = await server.post(definitionsPath, defined);
  if (status !== 201) throw new Error(text);
  await establish(server, name);
  return server;
}

const v1 = (of: string, spec: object = { host: "a", port: "1" }) => ({
  apiVersion: "example.com/v1",
  kind: "Endpoint",
  metadata: { name: of },
  spec,
});

describe("an object of a definition with a conversion webhook", () => {
  test("is written, changed and read in each version, and stored in one", async () => {
    const converter = new Converter();
    await using server = await start(converter);
    const made = await server.post(at("v1"), v1("a"));
    expect([made.status, made.json.apiVersion, made.json.spec]).toEqual([
      201,
      "example.com/v1",
      { host: "a", port: "1" },
    ]);
    expect(converter.calls[0]?.url).toBe("https://webhooks.test/convert?timeout=30s");
    const old = (await server.get(`${at("v1beta1")}/a`)).json;
    expect([old.apiVersion, old.spec, old.metadata.uid]).toEqual([
      "example.com/v1beta1",
      { hostPort: "a:1" },
      made.json.metadata.uid,
    ]);
    const patched = await server.patch(`${at("v1")}/a`, { spec: { port: "2" }, metadata: { labels: { x: "y" } } });
    expect([patched.status, patched.json.spec, patched.json.metadata.generation]).toEqual([
      200,
      { host: "a", port: "2" },
      2,
    ]);
    const put = await server.put(`${at("v1beta1")}/a`, {
      ...old,
      metadata: { name: "a", resourceVersion: patched.json.metadata.resourceVersion },
      spec: { hostPort: "b:3" },
    });
    expect([put.status, put.json.spec]).toEqual([200, { hostPort: "b:3" }]);
    const applied = await server.patch(
      `${at("v1")}/a?fieldManager=m&force=true`,
      { apiVersion: "example.com/v1", kind: "Endpoint", metadata: { name: "a" }, spec: { port: "4" } },
      { contentType: "application/apply-patch+yaml" },
    );
    expect([applied.status, applied.json.spec]).toEqual([200, { host: "b", port: "4" }]);
    const status = await server.patch(`${at("v1")}/a/status`, { status: { ready: "yes" } });
    expect([status.status, status.json.status, status.json.spec]).toEqual([
      200,
      { ready: "yes" },
      { host: "b", port: "4" },
    ]);
    expect((await server.get(`${at("v1beta1")}/a`)).json.spec).toEqual({ hostPort: "b:4" });
    expect((await server.delete(`${at("v1")}/a`)).status).toBe(200);
    expect((await server.get(`${at("v1")}/a`)).status).toBe(404);
  });

  test("keeps its finalizers until its removal, whichever version it is deleted in", async () => {
    await using server = await start(new Converter());
    await server.post(at("v1"), { ...v1("a"), metadata: { name: "a", finalizers: ["example.com/f"] } });
    const deleting = await server.delete(`${at("v1")}/a`);
    expect([deleting.json.spec, deleting.json.metadata.deletionTimestamp]).toEqual([
      { host: "a", port: "1" },
      expect.any(String),
    ]);
    await server.patch(`${at("v1")}/a`, { metadata: { finalizers: null } });
    expect((await server.get(`${at("v1")}/a`)).status).toBe(404);
  });

  test("is converted with the other objects of a list in one call, and in a watch", async () => {
    const converter = new Converter();
    await using server = await start(converter);
    for (const of of ["a", "b", "c"]) await server.post(at("v1"), v1(of));
    converter.calls = [];
    const list = await server.get(at("v1"));
    expect(list.json.items.map(({ spec }: Any) => spec.host)).toEqual(["a", "a", "a"]);
    expect(converter.calls.length).toBeLessThanOrEqual(1);
    const table = await server.get(at("v1"), {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    expect(table.json.rows).toHaveLength(3);
    const watch = await server.watch(`${at("v1")}?watch=true`);
    expect((await watch.take(3)).map(({ type, object }) => [type, object.apiVersion, object.spec.port])).toEqual([
      ["ADDED", "example.com/v1", "1"],
      ["ADDED", "example.com/v1", "1"],
      ["ADDED", "example.com/v1", "1"],
    ]);
    await server.patch(`${at("v1beta1")}/b`, { spec: { hostPort: "z:9" } });
    expect(await watch.next()).toMatchObject({ type: "MODIFIED", object: { spec: { host: "z", port: "9" } } });
    await server.delete(`${at("v1")}/b`);
    expect(await watch.next()).toMatchObject({ type: "DELETED", object: { apiVersion: "example.com/v1" } });
    watch.stop();
  });
});

describe("selectable fields of each version", () => {
  function selectable() {
    const made = definition();
    const fields: Record<string, string[]> = { v1: ["host", "port"], v1beta1: ["hostPort"] };
    for (const version of made.spec.versions) {
      const selectableFields = fields[version.name]?.map((field) => ({ jsonPath: `.spec.${field}` }));
      Object.assign(version, { selectableFields });
    }
    return made;
  }

  const old = (name: string, hostPort: string) => ({
    apiVersion: "example.com/v1beta1",
    kind: "Endpoint",
    metadata: { name },
    spec: { hostPort },
  });
  const namesIn = ({ json }: { json: Any }) => json.items.map(({ metadata }: Any) => metadata.name);

  test("are compared after the conversion in lists, watches and deletes of collections", async () => {
    await using server = await start(new Converter(), selectable());
    const before = (await server.get(at("v1"))).json.metadata.resourceVersion;
    const watch = await server.watch(`${at("v1")}?watch=true&fieldSelector=spec.host=a`);
    await server.post(at("v1beta1"), old("b", "a:1"));
    await server.post(at("v1"), v1("n"));
    await server.post(at("v1beta1"), old("o", "other:1"));
    for (const [version, selector, names] of [
      ["v1", "spec.host=a", ["b", "n"]],
      ["v1", "spec.host=a,spec.port=1", ["b", "n"]],
      ["v1", "spec.host!=a", ["o"]],
      ["v1beta1", "spec.hostPort=a:1", ["b", "n"]],
    ] as const) {
      const list = await server.get(`${at(version)}?fieldSelector=${encodeURIComponent(selector)}`);
      expect([selector, namesIn(list)]).toEqual([selector, names]);
    }
    const first = await server.get(`${at("v1")}?fieldSelector=spec.host=a&limit=1`);
    const second = await server.get(
      `${at("v1")}?fieldSelector=spec.host=a&limit=1&continue=${first.json.metadata.continue}`,
    );
    expect([namesIn(first), namesIn(second), second.json.metadata.continue]).toEqual([["b"], ["n"], undefined]);
    const shown = ({ type, object }: Any) => `${type} ${object.metadata.name} ${object.spec.host}`;
    expect((await watch.take(2)).map(shown)).toEqual(["ADDED b a", "ADDED n a"]);
    const middle = (await server.get(at("v1"))).json.metadata.resourceVersion;
    await server.patch(`${at("v1beta1")}/b`, { spec: { hostPort: "z:1" } });
    await server.patch(`${at("v1beta1")}/o`, { spec: { hostPort: "a:2" } });
    await server.patch(`${at("v1beta1")}/n`, { spec: { hostPort: "a:3" } });
    const changes = ["DELETED b z", "ADDED o a", "MODIFIED n a"];
    expect((await watch.take(3)).map(shown)).toEqual(changes);
    const resumed = await server.watch(`${at("v1")}?watch=true&fieldSelector=spec.host=a&resourceVersion=${middle}`);
    expect((await resumed.take(3)).map(shown)).toEqual(changes);
    const whole = await server.watch(`${at("v1")}?watch=true&fieldSelector=spec.host=a&resourceVersion=${before}`);
    expect((await whole.take(2)).map(shown)).toEqual(["ADDED b a", "ADDED n a"]);
    const deleted = await server.delete(`${at("v1")}?fieldSelector=spec.host=a`);
    expect(namesIn(deleted)).toEqual(["n", "o"]);
    expect(namesIn(await server.get(at("v1")))).toEqual(["b"]);
    for (const one of [watch, resumed, whole]) one.stop();
  });
});

describe("field owners in versions that a webhook converts", () => {
  const apply = (server: TestServer, of: string, manager: string, spec: object) =>
    server.patch(
      `${at(of)}/a?fieldManager=${manager}`,
      { apiVersion: `example.com/${of}`, kind: "Endpoint", metadata: { name: "a" }, spec },
      { contentType: "application/apply-patch+yaml" },
    );
  const owners = (answer: { json: Any }) =>
    answer.json.metadata.managedFields.map(({ manager, apiVersion }: Any) => `${manager} ${apiVersion}`);

  test("are compared after the conversion", async () => {
    await using server = await start(new Converter());
    await apply(server, "v1beta1", "old", { hostPort: "a:1" });
    const refused = await apply(server, "v1", "new", { port: "2" });
    expect([refused.status, refused.json.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "old": .spec.hostPort',
    ]);
    expect((await apply(server, "v1", "new", { port: "1" })).status).toBe(200);
    const moved = await apply(server, "v1", "old", { host: "b", port: "1" });
    expect([moved.json.spec, owners(moved)]).toEqual([
      { host: "b", port: "1" },
      ["new example.com/v1", "old example.com/v1"],
    ]);
    const updated = await server.patch(`${at("v1beta1")}/a?fieldManager=hand`, { spec: { hostPort: "c:1" } });
    expect(updated.json.metadata.managedFields).toMatchObject([
      { manager: "new", fieldsV1: { "f:spec": { "f:port": {} } } },
      { manager: "old", fieldsV1: { "f:spec": { "f:port": {} } } },
      { manager: "hand", apiVersion: "example.com/v1beta1", fieldsV1: { "f:spec": { "f:hostPort": {} } } },
    ]);
  });
});

describe("a webhook that converts wrongly does not lose data:", () => {
  const prefix = "conversion webhook for example.com/v1beta1, Kind=Endpoint";
  const objects = (review: Any, change: (object: Any) => Any) => ({
    ...review,
    response: { ...review.response, convertedObjects: review.response.convertedObjects.map(change) },
  });
  test.each<[string, (review: Any) => Any, string]>([
    [
      "an object is lost",
      (review) => ({ ...review, response: { ...review.response, convertedObjects: [] } }),
      `${prefix} returned 0 objects, expected 1`,
    ],
    [
      "an object has another name",
      (review) => objects(review, (object) => ({ ...object, metadata: { ...object.metadata, name: "other" } })),
      `${prefix} returned invalid converted object at index 0: must have the same name: a != other`,
    ],
    [
      "an object has another UID",
      (review) => objects(review, (object) => ({ ...object, metadata: { ...object.metadata, uid: "u" } })),
      "must have the same UID: ",
    ],
    [
      "an object is of another version",
      (review) => objects(review, (object) => ({ ...object, apiVersion: "example.com/v7" })),
      `${prefix} returned invalid converted object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v7)`,
    ],
    [
      "metadata is missing",
      (review) => objects(review, (object) => ({ ...object, metadata: undefined })),
      `${prefix} returned invalid metadata in object at index 0: missing metadata in converted object`,
    ],
    [
      "a label is invalid",
      (review) => objects(review, (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: "b c" } } })),
      `${prefix} returned invalid metadata in object at index 0: metadata.labels: Invalid value: "b c"`,
    ],
    [
      "it refuses",
      (review) => ({
        ...review,
        response: { uid: review.response.uid, result: { status: "Failed", message: "not today" } },
      }),
      `${prefix} failed: not today`,
    ],
    [
      "it answers another review",
      (review) => ({ ...review, response: { ...review.response, uid: "x" } }),
      `${prefix} failed: expected response.uid=`,
    ],
  ])("%s", async (_name, spoil, message) => {
    const converter = new Converter();
    await using server = await start(converter);
    await server.post(at("v1beta1"), { ...v1("a", { hostPort: "a:1" }), apiVersion: "example.com/v1beta1" });
    converter.spoil = spoil;
    const read = await server.get(`${at("v1")}/a`);
    expect([read.status, read.json.message]).toEqual([500, expect.stringContaining(message)]);
    expect((await server.get(at("v1"))).status).toBe(500);
    expect((await server.patch(`${at("v1")}/a`, { spec: { port: "2" } })).status).toBe(500);
    expect((await server.get(`${at("v1beta1")}/a`)).json.spec).toEqual({ hostPort: "a:1" });
    const watch = await server.watch(`${at("v1")}?watch=true`);
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 500 } });
    expect(await watch.next()).toBeUndefined();
    converter.spoil = (review) => review;
    expect((await server.get(`${at("v1")}/a`)).json.spec).toEqual({ host: "a", port: "1" });
  });
});

test("a webhook that hangs is aborted after 30 seconds, and does not delay other requests", async () => {
  await using server = await start({ post: () => new Promise<WebhookAnswer>(() => {}) });
  await server.post(at("v1beta1"), { ...v1("a", { hostPort: "a:1" }), apiVersion: "example.com/v1beta1" });
  const hanging = server.get(`${at("v1")}/a`);
  expect((await server.get(`${at("v1beta1")}/a`)).status).toBe(200);
  await server.clock.advance(30_000);
  const { status, json } = await hanging;
  expect([status, json.message]).toEqual([
    500,
    'conversion webhook for example.com/v1beta1, Kind=Endpoint failed: Post "https://webhooks.test/convert?timeout=30s": context deadline exceeded',
  ]);
});

test("objects stay readable when the storage version changes", async () => {
  await using server = await start(new Converter());
  await server.post(at("v1"), v1("a"));
  const moved = definition("v1").spec;
  await server.patch(`${definitionsPath}/${name}`, { spec: { versions: moved.versions } });
  await server.clock.settle();
  expect((await server.get(`${at("v1")}/a`)).json.spec).toEqual({ host: "a", port: "1" });
  const changed = await server.patch(`${at("v1beta1")}/a`, { spec: { hostPort: "c:5" } });
  expect([changed.status, changed.json.spec]).toEqual([200, { hostPort: "c:5" }]);
  expect((await server.get(`${at("v1")}/a`)).json.spec).toEqual({ host: "c", port: "5" });
});

test("deeply nested brackets in a conversion response do not block the server", async () => {
  const half = 4 * 1024 * 1024 - 100;
  const brackets = "[".repeat(half) + "]".repeat(half);
  await using server = await start({
    post: () => Promise.resolve({ status: 200, body: `{"kind":"ConversionReview","response":${brackets}}` }),
  });
  const spentMs = await leastProcessorMs(async () => {
    const { status, json } = await server.post(at("v1"), v1("a"));
    expect([status, json.message]).toEqual([500, expect.stringContaining("the answer nests deeper than 67 levels")]);
  }, 250);
  expect(spentMs).toBeLessThan(250);
});
