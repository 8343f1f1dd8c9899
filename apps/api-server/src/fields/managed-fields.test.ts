import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { addAll, type FieldSet, without } from "./field-set.ts";

const web = `${podsPath}/web`;

interface Managed {
  manager: string;
  subresource?: string;
  fieldsV1: FieldSet;
}

const templateWith = (spec: object) => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

describe("field ownership", () => {
  test("the creator owns the sent fields and the defaulted fields, in upstream's notation", async () => {
    await using server = await TestServer.start();
    const { json } = await server.post(
      `${podsPath}?fieldManager=kubectl-create`,
      aPod("web", { labels: { app: "web" } }),
    );
    expect(json.metadata.managedFields).toHaveLength(1);
    const [entry] = json.metadata.managedFields;
    expect(entry).toMatchObject({
      manager: "kubectl-create",
      operation: "Update",
      apiVersion: "v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
    });
    expect(entry.fieldsV1["f:metadata"]).toEqual({ "f:labels": { ".": {}, "f:app": {} } });
    expect(entry.fieldsV1["f:spec"]["f:containers"]).toEqual({
      'k:{"name":"main"}': {
        ".": {},
        "f:image": {},
        "f:imagePullPolicy": {},
        "f:name": {},
        "f:resources": {},
        "f:terminationMessagePath": {},
        "f:terminationMessagePolicy": {},
      },
    });
    expect(entry.fieldsV1["f:status"]).toBeUndefined();
  });

  test("a manager that changes a field becomes its owner, and a removed field has no owner", async () => {
    await using server = await TestServer.start();
    await server.post(`${podsPath}?fieldManager=one`, aPod("web", { labels: { a: "1", b: "1", c: "1" } }));
    await server.clock.advance(60_000);
    const body = { metadata: { labels: { a: "2", b: null } } };
    const { json } = await server.patch(`${web}?fieldManager=two`, body);
    const managed = json.metadata.managedFields as Managed[];
    const labelsOf = (manager: string) =>
      managed.find((entry) => entry.manager === manager)?.fieldsV1["f:metadata"]?.["f:labels"];
    expect(labelsOf("one")).toEqual({ ".": {}, "f:c": {} });
    expect(labelsOf("two")).toEqual({ "f:a": {} });
  });

  test("an empty object keeps its owner, and a field that is added to it belongs to the manager that adds it", async () => {
    await using server = await TestServer.start();
    await server.post(`${podsPath}?fieldManager=one`, aPod("web", { labels: {} }));
    const { json } = await server.patch(`${web}?fieldManager=two`, { metadata: { labels: { a: "1" } } });
    const labelsOf = (manager: string) =>
      (json.metadata.managedFields as Managed[]).find((entry) => entry.manager === manager)?.fieldsV1["f:metadata"];
    expect(labelsOf("one")).toEqual({ "f:labels": {} });
    expect(labelsOf("two")).toEqual({ "f:labels": { "f:a": {} } });
    const emptied = await server.patch(`${web}?fieldManager=three`, { metadata: { labels: { a: null } } });
    expect((emptied.json.metadata.managedFields as Managed[]).map(({ manager }) => manager)).toEqual(["one"]);
  });

  test("a removed struct also removes the owner that applied it empty", async () => {
    await using server = await TestServer.start();
    const path = "/apis/apps/v1/namespaces/default/deployments/web";
    const spec = { selector: { matchLabels: { a: "b" } }, template: templateWith({ dnsConfig: {} }) };
    const applied = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec };
    await server.patch(`${path}?fieldManager=one`, applied, { contentType: "application/apply-patch+yaml" });
    const setTo = (dnsConfig: object | null) =>
      server.patch(`${path}?fieldManager=two`, { spec: { template: { spec: { dnsConfig } } } });
    const ownersIn = (managed: Managed[]) =>
      managed.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes("dnsConfig")).map(({ manager }) => manager);
    expect(ownersIn((await setTo({ searches: ["a"] })).json.metadata.managedFields)).toEqual(["one", "two"]);
    expect(ownersIn((await setTo(null)).json.metadata.managedFields)).toEqual([]);
  });

  test("writes through a subresource are owned separately", async () => {
    await using server = await TestServer.start();
    await server.post(`${podsPath}?fieldManager=kubelet`, aPod("web"));
    const conditions = [{ type: "Ready", status: "True" }];
    const { json } = await server.patch(`${web}/status?fieldManager=kubelet`, { status: { conditions } });
    const managed = json.metadata.managedFields as Managed[];
    expect(managed.map(({ manager, subresource }) => [manager, subresource])).toEqual([
      ["kubelet", undefined],
      ["kubelet", "status"],
    ]);
    expect(managed[1]?.fieldsV1["f:status"]?.["f:conditions"]).toEqual({
      ".": {},
      'k:{"type":"Ready"}': { ".": {}, "f:status": {}, "f:type": {} },
    });
  });

  test("without a manager name the program's name is used; an empty list removes all owners", async () => {
    await using server = await TestServer.start();
    const { json } = await server.post(podsPath, aPod("web"), { headers: { "user-agent": "my-tool/1.0 (linux)" } });
    expect(json.metadata.managedFields[0].manager).toBe("my-tool");
    const forgotten = await server.put(web, { ...json, metadata: { ...json.metadata, managedFields: [] } });
    expect(forgotten.json.metadata.managedFields).toBeUndefined();
  });

  test("more than ten updaters are merged into one", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    for (let i = 0; i < 12; i++) {
      await server.patch(`${web}?fieldManager=m${i}`, { metadata: { annotations: { [`a${i}`]: "x" } } });
    }
    const { json } = await server.get(web);
    const managers = (json.metadata.managedFields as Managed[]).map(({ manager }) => manager);
    expect(managers).toHaveLength(10);
    expect(managers[0]).toBe("ancient-changes");
  });
});

describe("field sets", () => {
  const table: [FieldSet, FieldSet, FieldSet][] = [
    [{ "f:a": {}, "f:b": {} }, { "f:a": {} }, { "f:b": {} }],
    [{ "f:m": { ".": {}, "f:x": {} } }, { "f:m": { "f:x": {} } }, { "f:m": {} }],
    [{ "f:m": { ".": {}, "f:x": {} } }, { "f:m": {} }, { "f:m": { "f:x": {} } }],
    [{ "f:s": { "f:x": {} } }, { "f:s": { "f:x": {} } }, {}],
    [{ "f:s": {} }, { "f:s": { "f:x": {} } }, { "f:s": {} }],
  ];
  test.each(table)("%j without %j is %j", (set, less, rest) => {
    expect(without(set, less)).toEqual(rest);
  });

  test("a union has the members of both sets and modifies neither set", () => {
    const set: FieldSet = { "f:m": {} };
    const more: FieldSet = { "f:m": { "f:x": {} }, "f:n": {} };
    addAll(set, more);
    expect(set).toEqual({ "f:m": { ".": {}, "f:x": {} }, "f:n": {} });
    expect(more).toEqual({ "f:m": { "f:x": {} }, "f:n": {} });
  });
});
