import { Buffer } from "node:buffer";
import { builtInKinds, type JsonObject } from "@kintsugi/api";
import protobuf from "protobufjs/minimal.js";
import { describe, expect, test } from "vitest";
import type { TaggedDocument } from "../http/tagged-document.ts";
import type { CreateOpenApi } from "./documents.ts";
import { createRegistry } from "../resources/registry.ts";
import { createSubresources } from "../subresources/subresource-table.ts";
import { TestServer } from "../testing/test-server.ts";
import { createOpenApiMaker } from "./index.ts";

const createServed = () => createRegistry(builtInKinds, createSubresources({}), { encodings: { cbor: true } }).served;
const served = createServed();
const create: CreateOpenApi = createOpenApiMaker();
const documents = create(served);
const swaggerProtobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

// oxlint-disable-next-line typescript/no-explicit-any -- tests read documents of any shape
function parse(document: TaggedDocument | undefined): any {
  return JSON.parse(Buffer.from(document?.body ?? []).toString("utf8"));
}

const index = parse(documents.index()) as { paths: Record<string, { serverRelativeURL: string }> };
const paths = Object.keys(index.paths);

describe("OpenAPI 3", () => {
  test("the index names every group's version, with the hash of its document", () => {
    expect(paths).toEqual(expect.arrayContaining(["api/v1", "apis/apps/v1", "apis/coordination.k8s.io/v1"]));
    for (const [path, { serverRelativeURL }] of Object.entries(index.paths)) {
      const hash = documents.v3(path)?.etag.replaceAll('"', "");
      expect(serverRelativeURL).toBe(`/openapi/v3/${path}?hash=${hash}`);
      expect(hash).toMatch(/^[0-9A-F]{64}$/);
    }
    expect(new Set(Object.values(index.paths).map(({ serverRelativeURL }) => serverRelativeURL)).size).toBe(
      paths.length,
    );
    expect(documents.v3("apis/widgets/v1")).toBeUndefined();
  });

  test.each(paths)("every reference in %s leads to an existing part", (path) => {
    const document = parse(documents.v3(path));
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      (match) => match[1] ?? "",
    );
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((name) => !Object.hasOwn(document.components.schemas, name))).toEqual([]);
  });

  test("a pod has the operations that kubectl looks up in the document", () => {
    const { paths: operations } = parse(documents.v3("api/v1"));
    const pod = operations["/api/v1/namespaces/{namespace}/pods/{name}"];
    expect(Object.keys(pod).toSorted()).toEqual(["delete", "get", "parameters", "patch", "put"]);
    expect(pod.patch["x-kubernetes-action"]).toBe("patch");
    expect(pod.patch["x-kubernetes-group-version-kind"]).toEqual({ group: "", version: "v1", kind: "Pod" });
    expect(Object.keys(pod.patch.requestBody.content)).toEqual(
      expect.arrayContaining([
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
      ]),
    );
    const query = pod.patch.parameters.map((parameter: JsonObject) => parameter["name"]);
    expect(query).toEqual(expect.arrayContaining(["dryRun", "fieldManager", "fieldValidation", "force"]));
    expect(pod.parameters.map((parameter: JsonObject) => parameter["name"])).toEqual(["name", "namespace"]);
    expect(operations["/api/v1/namespaces/{namespace}/pods"].post.operationId).toBe("createCoreV1NamespacedPod");
    expect(operations["/api/v1/pods"].get.operationId).toBe("listCoreV1PodForAllNamespaces");
    expect(operations["/api/v1/namespaces/{namespace}/pods"].delete.operationId).toBe(
      "deleteCoreV1CollectionNamespacedPod",
    );
    expect(
      operations["/api/v1/namespaces/{namespace}/pods/{name}/status"].patch["x-kubernetes-group-version-kind"].kind,
    ).toBe("Pod");
    expect(operations["/api/v1/nodes/{name}"].parameters.map((parameter: JsonObject) => parameter["name"])).toEqual([
      "name",
    ]);
    expect(operations["/api/v1/nodes"].get["x-kubernetes-action"]).toBe("list");
  });

  test("every operation has a unique ID", () => {
    const all = paths.flatMap((path) => Object.values(parse(documents.v3(path)).paths as Record<string, JsonObject>));
    const ids = all.flatMap((item) =>
      Object.values(item).flatMap((operation) => (operation as JsonObject)["operationId"] ?? []),
    );
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter((id, position) => ids.indexOf(id) !== position)).toEqual([]);
  });

  test("schemas describe how lists are patched and applied, and their kinds", () => {
    const { schemas } = parse(documents.v3("api/v1")).components;
    expect(schemas["io.k8s.api.core.v1.PodSpec"].properties.containers).toMatchObject({
      type: "array",
      items: { $ref: "#/components/schemas/io.k8s.api.core.v1.Container" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    });
    expect(schemas["io.k8s.api.core.v1.PodSpec"].required).toEqual(["containers"]);
    expect(schemas["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"]).toEqual([
      { group: "", version: "v1", kind: "Pod" },
    ]);
    expect(schemas["io.k8s.api.core.v1.PodList"]["x-kubernetes-group-version-kind"]).toEqual([
      { group: "", version: "v1", kind: "PodList" },
    ]);
    expect(schemas["io.k8s.api.core.v1.PodList"].required).toEqual(["items"]);
    expect(schemas["io.k8s.api.policy.v1.Eviction"]["x-kubernetes-group-version-kind"]).toEqual([
      { group: "policy", version: "v1", kind: "Eviction" },
    ]);
    expect(schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"].oneOf).toEqual([
      { type: "string" },
      { type: "number" },
    ]);
    expect(schemas["io.k8s.api.core.v1.ObjectReference"]["x-kubernetes-map-type"]).toBe("atomic");
  });
});

describe("OpenAPI 2", () => {
  const swagger = parse(documents.v2("application/json"));

  test("every reference leads to an existing part", () => {
    const references = [...JSON.stringify(swagger).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(
      (match) => match[1] ?? "",
    );
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((name) => !Object.hasOwn(swagger.definitions, name))).toEqual([]);
  });

  test.each([
    [undefined, "application/json"],
    ["application/json", "application/json"],
    ["*/*", "application/json"],
    ["application/json, */*", "application/json"],
    [swaggerProtobuf, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"],
    [
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    ],
    [`${swaggerProtobuf};q=1, application/json`, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"],
    [`application/json, ${swaggerProtobuf}`, "application/json"],
  ])("a request that accepts %s receives %s", (accept, contentType) => {
    expect(documents.v2(accept).contentType).toBe(contentType);
  });

  test("the protobuf form contains the same paths and definitions", () => {
    const fields = fieldsOf(documents.v2(swaggerProtobuf).body);
    expect(textOf(fields.get(1)?.[0])).toBe("2.0");
    const names = (bytes: Uint8Array | undefined, fieldNumber: number) =>
      (fieldsOf(bytes ?? new Uint8Array()).get(fieldNumber) ?? []).map((entry) => textOf(fieldsOf(entry).get(1)?.[0]));
    expect(names(fields.get(8)?.[0], 2)).toEqual(Object.keys(swagger.paths));
    expect(names(fields.get(9)?.[0], 1)).toEqual(Object.keys(swagger.definitions));
  });
});

describe("the documents", () => {
  test("are equal each time they are generated", () => {
    const again = createOpenApiMaker()(createServed());
    expect(again.index().etag).toBe(documents.index().etag);
    expect(again.v2(swaggerProtobuf).etag).toBe(documents.v2(swaggerProtobuf).etag);
    expect(documents.v3("api/v1")).toBe(documents.v3("api/v1"));
  });

  test("are served with an ETag, and are not sent again to a client that has them", async () => {
    await using server = await TestServer.start();
    const first = await server.get("/openapi/v3/api/v1");
    expect(first).toMatchObject({
      status: 200,
      headers: { etag: documents.v3("api/v1")?.etag, "content-type": "application/json" },
    });
    expect(first.headers["cache-control"]).toContain("no-cache");
    const known = await server.get("/openapi/v3/api/v1", {
      headers: { "if-none-match": `"x", ${first.headers["etag"]}` },
    });
    expect(known).toMatchObject({ status: 304, text: "" });
    const byHash = await server.get(index.paths["api/v1"]?.serverRelativeURL ?? "");
    expect(byHash.headers["cache-control"]).toContain("immutable");
    const byOldHash = await server.get("/openapi/v3/api/v1?hash=0");
    expect(byOldHash.headers["cache-control"]).toContain("no-cache");
    expect((await server.get("/openapi/v3")).json).toEqual(index);
    expect((await server.get("/openapi/v2")).json.swagger).toBe("2.0");
    expect((await server.get("/openapi/v4")).status).toBe(404);
    expect((await server.post("/openapi/v2", {})).status).toBe(405);
  });
});

/** The fields of a protobuf message that are texts, bytes or messages. */
function fieldsOf(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const reader = protobuf.Reader.create(bytes);
  const fields = new Map<number, Uint8Array[]>();
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if ((tag & 7) === 2) {
      fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), reader.bytes()]);
    } else {
      reader.skipType(tag & 7);
    }
  }
  return fields;
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("utf8");
}
