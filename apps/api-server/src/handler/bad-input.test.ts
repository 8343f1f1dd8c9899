import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { bodyBytesMax } from "../http/bodies/body-limits.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const types = {
  json: "application/json",
  yaml: "application/yaml",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  jsonPatch: "application/json-patch+json",
  protobuf: "application/vnd.kubernetes.protobuf",
};

describe("bodies", () => {
  const deep = (levels: number) => `{"metadata":{"name":"x"},"data":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;

  test.each([
    ["nothing", types.json, "", 400],
    ["half of a document", types.json, "{", 400],
    ["a list", types.json, "[]", 400],
    ["a text", types.json, '"x"', 400],
    ["null", types.json, "null", 400],
    ["something after the document", types.json, '{"metadata":{"name":"x"}} {}', 400],
    ["bytes that are not UTF-8", types.json, Buffer.from([0x7b, 0xff, 0xfe]), 400],
    ["brackets nested beyond the limit", types.json, deep(1_000_000).slice(0, 2_500_000), 400],
    ["65 levels", types.json, deep(70), 400],
    ["half of a YAML document", types.yaml, "metadata: [", 400],
    ["two YAML documents", types.yaml, "metadata: {name: a}\n---\nmetadata: {name: b}\n", 400],
    ["YAML aliases", types.yaml, "metadata: &m {name: x}\ndata: *m\n", 400],
    ["a doubled YAML key", types.yaml, "metadata: {name: a}\nmetadata: {name: b}\n", 400],
    ["YAML that reaches a prototype", types.yaml, "metadata: {name: a}\n__proto__: {x: 1}\n", 400],
    ["bytes that are not protobuf", types.protobuf, Buffer.from([0x6b, 0x38, 0x73, 0x00, 0xff, 0xff]), 400],
    ["protobuf without its magic bytes", types.protobuf, "abc", 400],
    ["one byte too many", types.json, Buffer.alloc(bodyBytesMax + 1, 0x20), 413],
    ["text", "text/plain", "{}", 415],
    ["a form", "application/x-www-form-urlencoded", "a=b", 415],
    ["a patch", types.merge, "{}", 415],
    ["a type with a control character", "application/json\u0001", "{}", 415],
  ])("%s cannot be created", async (_what, contentType, body, status) => {
    await using server = await TestServer.start();
    const before = server.store.revision();
    const answer = await server.post(configMaps, body, { contentType });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ kind: "Status", status: "Failure", code: status });
    expect(server.store.revision()).toBe(before);
  });

  test.each(["application/json", " Application/JSON ;charset=utf-8", "application/json; x"])(
    "%j is JSON",
    async (contentType) => {
      await using server = await TestServer.start();
      expect((await server.post(configMaps, { metadata: { name: "c" } }, { contentType })).status).toBe(201);
    },
  );

  test("YAML is parsed as Kubernetes parses it: dates stay text, yes is true", async () => {
    await using server = await TestServer.start();
    const body = "metadata:\n  name: c\n  annotations: {day: 2026-01-01}\nimmutable: yes\n";
    const { json } = await server.post(configMaps, body, { contentType: types.yaml });
    expect(json).toMatchObject({ immutable: true, metadata: { annotations: { day: "2026-01-01" } } });
  });

  test("nulls mean an absent value", async () => {
    await using server = await TestServer.start();
    const { json } = await server.post(configMaps, {
      metadata: { name: "c", creationTimestamp: null, labels: null },
      data: null,
    });
    expect(json.data).toBeUndefined();
    expect(json.metadata.labels).toBeUndefined();
  });
});

describe("keys that reach a prototype", () => {
  const poisons = [
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"\\u005f_proto__":{"polluted":1}}',
  ];
  const inLabels = poisons.map((poison) => `{"metadata":{"labels":${poison}}}`);

  test.each([...poisons, ...inLabels])("are rejected in creates and in every kind of patch: %s", async (body) => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    expect((await server.post(configMaps, body)).status).toBe(400);
    for (const contentType of [types.merge, types.strategic]) {
      expect((await server.patch(`${podsPath}/web`, body, { contentType })).status).toBe(400);
    }
    const operations = `[{"op":"add","path":"/metadata/labels","value":${body}}]`;
    expect((await server.patch(`${podsPath}/web`, operations, { contentType: types.jsonPatch })).status).toBe(400);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.each(["/__proto__/polluted", "/metadata/__proto__/polluted", "/constructor/prototype/polluted"])(
    "are rejected as the path of a JSON patch: %s",
    async (path) => {
      await using server = await TestServer.start();
      await server.post(podsPath, aPod("web"));
      const body = JSON.stringify([{ op: "add", path, value: 1 }]);
      const answer = await server.patch(`${podsPath}/web`, body, { contentType: types.jsonPatch });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    },
  );
});

describe("paths", () => {
  test.each([
    `${podsPath}/..`,
    `${podsPath}/../secrets/s`,
    `${podsPath}/%2e%2e/secrets/s`,
    `${podsPath}/%2E%2E`,
    `${podsPath}/a%2fb`,
    `${podsPath}/a%2Fb`,
    `${podsPath}/a%5cb`,
    `${podsPath}/a%252fb`,
    `${podsPath}/a;b`,
    `${podsPath}/a%00`,
    `${podsPath}/%ff`,
    `${podsPath}/%`,
    `/api/v1//pods`,
    `//api/v1/pods`,
    `/api/v1/namespaces//pods`,
    `/api/v1/namespaces/default/pods//log`,
    `/api/v1/namespaces/./pods`,
    `/${"a".repeat(3000)}`,
  ])("that two parsers could read differently are rejected: %s", async (path) => {
    await using server = await TestServer.start();
    const answer = await server.get(path);
    expect(answer.status).toBe(400);
    expect(answer.json.kind).toBe("Status");
  });

  test.each([
    ["/nothing", 404],
    ["/api/v2", 404],
    ["/api/v1/unknown", 404],
    ["/apis/unknown.example/v1", 404],
    ["/apis/apps/v2/namespaces/default/replicasets", 404],
    ["/API/v1/pods", 404],
    ["/api/v1/Pods", 404],
    ["/api/v1/namespaces/default/nodes", 404],
    ["/api/v1/pods/web", 404],
    ["/api/v1/namespaces/default/pods/web", 404],
  ])("that match no resource are not found: %s", async (path, status) => {
    await using server = await TestServer.start();
    expect((await server.get(path)).status).toBe(status);
  });

  test("names of roles may have colons, escaped or not", async () => {
    await using server = await TestServer.start();
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    expect((await server.get(`${path}/system:node`)).json.metadata.name).toBe("system:node");
    expect((await server.get(`${path}/system%3Anode`)).json.metadata.name).toBe("system:node");
  });
});
