import { chooseFeatures, type JsonObject, type JsonValue } from "@kintsugi/api";
import { Tokenizer } from "cborg";
import { describe, expect, test } from "vitest";
import { cborBody, decodeCbor } from "../cbor/index.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { pieceBytesMax } from "./protobuf-list.ts";
import { aReplicaSet, defineLamps, forgetLamps, lampsPath, answeredBytes } from "./testing/answered.ts";

const cbor = "application/cbor";
const configMaps = "/api/v1/namespaces/default/configmaps";

/** Reads a body as a client does. The limits are the server's, for bodies that it receives. */
const read = (body: Uint8Array) => decodeCbor(body, { fault: "", valuesMax: 1_000_000 }) as JsonObject;

interface Call {
  body?: JsonValue | Uint8Array;
  type?: string;
  accept?: string;
}

/** A request whose body and answer are CBOR. */
async function call(server: TestServer, method: string, path: string, { body, type = cbor, accept = cbor }: Call = {}) {
  const response = await server.send(method, path, {
    headers: { accept },
    ...(body === undefined ? {} : { contentType: type, body: body instanceof Uint8Array ? body : cborBody(body) }),
  });
  expect(response.headers["content-type"]).toBe(cbor);
  const bytes = await answeredBytes(response.body);
  expect(Buffer.from(bytes.subarray(0, 3)).toString("hex")).toBe("d9d9f7");
  return { status: response.status, object: read(bytes), bytes };
}

/** The items of a sequence, split by their encoded lengths. */
function eventsOf(bytes: Uint8Array) {
  const events: { type: string; object: JsonObject }[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    const tokens = new Tokenizer(bytes.subarray(at), {});
    for (let left = 1; left > 0; left--) {
      const { type, value } = tokens.next();
      if (type.name === "map") left += 2 * (value as number);
      if (type.name === "array") left += value as number;
      if (type.name === "tag") left += 1;
    }
    events.push(read(bytes.subarray(at, at + tokens.pos())) as never);
    at += tokens.pos();
  }
  return events;
}

describe("a client that speaks CBOR", () => {
  test("creates, reads, changes and deletes objects", async () => {
    await using server = await TestServer.start();
    const created = await call(server, "POST", podsPath, { body: aPod("web", { labels: { a: "b" } }) as never });
    expect(created).toMatchObject({ status: 201, object: { kind: "Pod", metadata: { name: "web" } } });
    const { json: stored } = await server.get(`${podsPath}/web`);
    const { object } = await call(server, "GET", `${podsPath}/web`);
    expect(object).toEqual(stored);
    const put = { ...object, metadata: { ...(object["metadata"] as JsonObject), labels: { a: "c" } } };
    expect(await call(server, "PUT", `${podsPath}/web`, { body: put })).toMatchObject({
      status: 200,
      object: { metadata: { labels: { a: "c" } } },
    });
    const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "other" } };
    expect(await call(server, "DELETE", `${podsPath}/web`, { body: options })).toMatchObject({
      status: 409,
      object: { kind: "Status", reason: "Conflict" },
    });
    await call(server, "DELETE", `${podsPath}/web`, { body: { kind: "DeleteOptions", gracePeriodSeconds: 0 } });
    expect(await call(server, "GET", `${podsPath}/web`)).toMatchObject({
      status: 404,
      object: { kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404, details: { name: "web" } },
    });
  });

  test("sends bytes as bytes, as base64, and as tagged bytes, and receives them tagged", async () => {
    await using server = await TestServer.start();
    const path = "/api/v1/namespaces/default/secrets";
    const head = Buffer.from("a2686d65746164617461a1646e616d656173", "hex");
    const body = (value: string) => Buffer.concat([head, Buffer.from(`6464617461a1616b${value}`, "hex")]);
    for (const value of ["445a6d3976", "645a6d3976", "d643666f6f"]) {
      await call(server, "POST", path, { body: body(value) });
      expect((await server.get(`${path}/s`)).json.data).toEqual({ k: "Zm9v" });
      const { bytes } = await call(server, "GET", `${path}/s`);
      expect(Buffer.from(bytes).toString("hex")).toContain("a1416bd643666f6f");
      const { bytes: list } = await call(server, "GET", path);
      expect(Buffer.from(list).toString("hex")).toContain("a1416bd643666f6f");
      await server.delete(`${path}/s`);
    }
  });

  test("applies in CBOR, where each key is unique", async () => {
    await using server = await TestServer.start();
    const apply = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } };
    const [path, type] = [`${configMaps}/c?fieldManager=m`, "application/apply-patch+cbor"];
    expect(await call(server, "PATCH", path, { type, body: apply })).toMatchObject({ status: 201 });
    const next = { ...apply, data: { b: "2" } };
    const { object } = await call(server, "PATCH", path, { type, body: next });
    expect(object).toMatchObject({ data: { b: "2" }, metadata: { managedFields: [{ operation: "Apply" }] } });
    const twice = Buffer.from("a2616101616102", "hex");
    expect(await call(server, "PATCH", path, { type, body: twice })).toMatchObject({
      status: 400,
      object: { message: 'error decoding CBOR: cbor: found duplicate map key "a" at map element index 1' },
    });
    expect(await call(server, "PATCH", path, { type, body: [1] })).toMatchObject({
      status: 400,
      object: { message: "error decoding CBOR: cbor: the body is not a map" },
    });
    const other = await server.send("PATCH", `${configMaps}/c`, {
      contentType: "application/merge-patch+cbor",
      body: cborBody({}),
    });
    expect(other.status).toBe(415);
  });

  test("lists pages, lists in many chunks, metadata and Tables", async () => {
    await using server = await TestServer.start();
    const text = "x".repeat(pieceBytesMax / 2);
    const names = Array.from({ length: 30 }, (_, i) => `c${String(i).padStart(2, "0")}`);
    for (const name of names) await server.post(configMaps, { metadata: { name }, data: { text } });
    for (const path of [`${configMaps}?limit=2`, configMaps]) {
      const { json } = await server.get(path);
      expect((await call(server, "GET", path)).object).toEqual(json);
    }
    for (const as of ["Table", "PartialObjectMetadataList"]) {
      const convert = `;as=${as};g=meta.k8s.io;v=v1`;
      const path = `${configMaps}?limit=3&includeObject=Object`;
      const { json } = await server.get(path, { headers: { accept: `application/json${convert}` } });
      expect((await call(server, "GET", path, { accept: cbor + convert })).object).toEqual(json);
      const one = `;as=${as.replace("List", "")};g=meta.k8s.io;v=v1`;
      const { json: single } = await server.get(`${configMaps}/c00`, { headers: { accept: `application/json${one}` } });
      expect((await call(server, "GET", `${configMaps}/c00`, { accept: cbor + one })).object).toEqual(single);
    }
    const { object: gone } = await call(server, "DELETE", configMaps);
    expect(gone).toMatchObject({ kind: "ConfigMapList" });
    expect((await call(server, "GET", configMaps)).object["items"]).toEqual([]);
  });

  test.each(["", ";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"])(
    "watches by a sequence of items%s",
    async (convert) => {
      await using server = await TestServer.start();
      await server.post(podsPath, aPod("a"));
      const query = "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
      const path = `${podsPath}?${query}&labelSelector=a!%3Db`;
      const stop = new AbortController();
      const watch = (accept: string) => server.send("GET", path, { headers: { accept }, signal: stop.signal });
      const [inCbor, inJson] = [await watch(cbor + convert), await watch(`application/json${convert}`)];
      expect(inCbor.headers["content-type"]).toBe("application/cbor-seq");
      await server.patch(`${podsPath}/a`, { metadata: { labels: { a: "a" } } });
      await server.patch(`${podsPath}/a`, { metadata: { labels: { a: "b" } } });
      stop.abort();
      const lines = Buffer.from(await answeredBytes(inJson.body))
        .toString()
        .trim()
        .split("\n");
      const expected = lines.map((line) => JSON.parse(line) as JsonObject);
      expect(expected.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK", "MODIFIED", "DELETED"]);
      expect(eventsOf(await answeredBytes(inCbor.body))).toEqual(expected);
    },
  );

  test("receives NotFound, even as a Table", async () => {
    await using server = await TestServer.start();
    const path = "/api/v1/componentstatuses";
    for (const convert of ["", ";as=Table;g=meta.k8s.io;v=v1"]) {
      const { json } = await server.get(path, { headers: { accept: `application/json${convert}` } });
      expect((await call(server, "GET", path, { accept: cbor + convert })).object).toEqual(json);
    }
  });

  test("receives refusals, reviews and scales", async () => {
    await using server = await TestServer.start();
    const eve = { headers: { accept: cbor }, user: { name: "eve", groups: [] } };
    const refused = await server.send("GET", podsPath, eve);
    expect(read(await answeredBytes(refused.body))).toMatchObject({ kind: "Status", code: 403, reason: "Forbidden" });
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    expect((await call(server, "POST", path, { body: review })).object).toMatchObject({ status: { allowed: true } });
    await server.post("/apis/apps/v1/namespaces/default/replicasets", aReplicaSet);
    const scale = "/apis/apps/v1/namespaces/default/replicasets/r/scale";
    const { object } = await call(server, "GET", scale);
    expect(object).toMatchObject({ kind: "Scale", spec: { replicas: 3 } });
    const changed = await call(server, "PUT", scale, { body: { ...object, spec: { replicas: 5 } } });
    expect(changed.object).toMatchObject({ spec: { replicas: 5 } });
    const applied = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "r" }, spec: { replicas: 6 } };
    const options = { type: "application/apply-patch+cbor", body: applied };
    expect((await call(server, "PATCH", `${scale}?fieldManager=m&force=true`, options)).object).toMatchObject({
      spec: { replicas: 6 },
    });
  });

  test("uses custom kinds, whose numbers keep their type", async () => {
    await using server = await TestServer.start();
    await defineLamps(server);
    const lamp = {
      apiVersion: "example.com/v1",
      kind: "Lamp",
      metadata: { name: "l" },
      watts: 5,
      lumen: 0.1,
      far: -(2 ** 40),
      text: "Zm9v",
      none: null,
    };
    const { none, ...kept } = lamp;
    expect(none).toBeNull();
    expect((await call(server, "POST", lampsPath, { body: lamp })).object).toMatchObject(kept);
    expect((await call(server, "GET", `${lampsPath}/l`)).object).toMatchObject(kept);
    const { object } = await call(server, "GET", lampsPath);
    expect(object).toMatchObject({ kind: "LampList", items: [kept] });
    const response = await server.send("GET", `${lampsPath}?watch=true`, { headers: { accept: cbor } });
    await forgetLamps(server);
    const events = eventsOf(await answeredBytes(response.body));
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "DELETED", "ERROR"]);
    expect(events.at(-1)?.object).toMatchObject({ kind: "Status", code: 404 });
  });
});

test.each([
  ["cut", "a1", 400, /^unable to determine group\/version\/kind: cbor: unexpected end of the data/],
  ["of 2^63 parts", "bb8000000000000000", 400, /^unable to determine group\/version\/kind: cbor: /],
  ["nested", "81".repeat(100_000), 400, /exceeded max nested level 64/],
  ["no map", "80", 400, /the body is not a map/],
  ["with constructor.prototype", "a16b636f6e7374727563746f72a16970726f746f7479706500", 400, /not allowed/],
  ["of 2,000,000 values", `9a001e8480${"00".repeat(2_000_000)}`, 400, /exceeded max number of elements 1024/],
  ["too long", `5a00400000${"61".repeat(4 * 2 ** 20)}`, 413, /Request entity too large/],
])("a body that is %s is rejected", async (_what, hex, status, message) => {
  await using server = await TestServer.start();
  const answer = await call(server, "POST", configMaps, { body: Buffer.from(hex, "hex") });
  expect(answer).toMatchObject({ status, object: { kind: "Status", code: status } });
  expect(answer.object["message"]).toMatch(message);
});

test("without its feature gate CBOR is not served", async () => {
  const features = chooseFeatures({ minor: 36, gates: {} });
  await using server = await TestServer.start({ features });
  expect(await server.get(podsPath, { headers: { accept: cbor } })).toMatchObject({
    status: 406,
    json: { reason: "NotAcceptable" },
  });
  const both = await server.get(podsPath, { headers: { accept: `${cbor},application/json` } });
  expect(both).toMatchObject({ status: 200, json: { kind: "PodList" } });
  const sent = { contentType: cbor, body: cborBody({}) };
  for (const method of ["POST", "PUT"])
    expect(await server.send(method, method === "POST" ? podsPath : `${podsPath}/a`, sent)).toMatchObject({
      status: 415,
    });
  const apply = { contentType: "application/apply-patch+cbor", body: cborBody({}) };
  expect(await server.send("PATCH", `${podsPath}/a?fieldManager=m`, apply)).toMatchObject({ status: 415 });
  const { json } = await server.get("/openapi/v3/api/v1");
  expect(JSON.stringify(json)).not.toContain("cbor");
});
