import { describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import { definitionsPath, establish } from "./testing/cron-tabs.ts";

describe("a large definition", () => {
  const path = definitionsPath;
  const definition = (fields: number) => {
    const text = { type: "string", description: "A field." };
    const properties = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`field${i}`, text]));
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "bigs.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "bigs", kind: "Big" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
        ],
      },
    };
  };

  test("may hold schemas of 60,000 values, and is changed by each kind of write", async () => {
    await using server = await TestServer.start();
    const made = await server.post(path, definition(15_000));
    expect(made.status).toBe(201);
    const stored = await establish(server, "bigs.example.com");
    const changed = { ...stored, metadata: { ...stored.metadata, labels: { a: "b" } } };
    expect((await server.put(`${path}/bigs.example.com`, changed)).status).toBe(200);
    const patched = await server.patch(`${path}/bigs.example.com`, { spec: { versions: changed.spec.versions } });
    expect(patched.status).toBe(200);
    const applied = await server.patch(`${path}/bigs.example.com?fieldManager=m&force=true`, definition(15_001), {
      contentType: "application/apply-patch+yaml",
    });
    expect(applied.status).toBe(200);
  });

  test("of more values than fit into 3 MB is rejected, and other kinds have the ordinary limit", async () => {
    await using server = await TestServer.start();
    const tiny = `{"spec":{"versions":[${"1,".repeat(160_000)}1]}}`;
    const refused = await server.post(path, tiny);
    expect(refused).toMatchObject({ status: 400, json: { message: "the body holds more than 150000 values" } });
    expect((await server.post("/api/v1/namespaces/default/configmaps", tiny)).json.message).toBe(
      "the body holds more than 20000 values",
    );
  });
});
