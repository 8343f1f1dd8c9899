import { describe, expect, test } from "vitest";
import { aConfigMap, applyAs, configMapsPath } from "../testing/applying.ts";
import { type Answer, podsPath, TestServer } from "../testing/test-server.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";

const deployment = (spec: object, metadata: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", ...metadata },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "busybox:1.36" }] } },
    ...spec,
  },
});

interface Entry {
  manager: string;
  operation: string;
  subresource?: string;
  time?: string;
  fieldsV1: object;
}

const entries = ({ json }: Answer): Entry[] => json.metadata.managedFields ?? [];
const owners = (answer: Answer) =>
  entries(answer).map(({ manager, operation, subresource }) =>
    [manager, operation, subresource ?? ""].join(" ").trim(),
  );
const fieldsOf = (answer: Answer, manager: string) =>
  entries(answer).find((entry) => entry.manager === manager)?.fieldsV1;

describe("applying", () => {
  test("creates a missing object and changes an existing object", async () => {
    await using server = await TestServer.start();
    const one = applyAs(server, "one", `${configMapsPath}/c`);
    const created = await one(aConfigMap({ a: "1", b: "1" }));
    expect(created.status).toBe(201);
    expect(entries(created)).toEqual([
      {
        manager: "one",
        operation: "Apply",
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {}, "f:b": {} } },
      },
    ]);
    await server.clock.advance(60_000);
    const changed = await one(aConfigMap({ a: "2" }));
    expect(changed.status).toBe(200);
    expect(changed.json.data).toEqual({ a: "2" });
    expect(entries(changed)).toMatchObject([{ time: "2026-01-01T00:01:00Z", fieldsV1: { "f:data": { "f:a": {} } } }]);
  });

  test("an unchanged object is not written", async () => {
    await using server = await TestServer.start();
    const one = applyAs(server, "one", `${deployments}/web`);
    const created = await one(deployment({ replicas: 1 }));
    await server.clock.advance(60_000);
    const again = await one(deployment({ replicas: 1 }));
    expect(again.json).toEqual(created.json);
    // The default has the same value as before, so only its owner changes.
    const fewer = await one(deployment({}));
    expect(fewer.json.spec).toEqual(created.json.spec);
    expect(fewer.json.metadata.generation).toBe(1);
    expect(JSON.stringify(fieldsOf(fewer, "one"))).not.toContain("replicas");
    const same = await one(deployment({}, { creationTimestamp: null }));
    expect(same.json.metadata.resourceVersion).toBe(fewer.json.metadata.resourceVersion);
  });

  test.each([
    ["v1", "ConfigMap", configMapsPath, {}],
    ["v1", "Secret", "/api/v1/namespaces/default/secrets", {}],
    ["v1", "ServiceAccount", "/api/v1/namespaces/default/serviceaccounts", {}],
    ["v1", "Service", "/api/v1/namespaces/default/services", { spec: { ports: [{ port: 80 }] } }],
    ["v1", "Namespace", "/api/v1/namespaces", {}],
    ["apps/v1", "Deployment", deployments, { spec: deployment({}).spec }],
  ])("%s %s loses the last field of its metadata that its manager applied", async (apiVersion, kind, path, rest) => {
    await using server = await TestServer.start();
    const one = applyAs(server, "one", `${path}/plain`);
    const of = (metadata: object) => ({ apiVersion, kind, metadata: { name: "plain", ...metadata }, ...rest });
    const labels = { mine: "1" };
    const made = await one(of({ labels, annotations: { mine: "1" }, finalizers: ["example.com/mine"] }));
    expect(made.status).toBe(201);
    const bare = await one(of({}));
    expect([bare.status, bare.json.metadata.uid]).toEqual([200, made.json.metadata.uid]);
    const { labels: left = {}, annotations, finalizers } = bare.json.metadata;
    expect([left.mine, annotations, finalizers]).toEqual([undefined, undefined, undefined]);
    // A label that two managers apply is removed once the second manager omits it too.
    expect((await one(of({ labels }))).status).toBe(200);
    const two = applyAs(server, "two", `${path}/plain`);
    expect((await two(of({ labels }))).status).toBe(200);
    expect((await one(of({}))).json.metadata.labels.mine).toBe("1");
    const gone = await two(of({}));
    expect([gone.status, gone.json.metadata.labels?.mine]).toEqual([200, undefined]);
  });

  test("with a dry run shows the outcome and writes nothing", async () => {
    await using server = await TestServer.start();
    const dry = applyAs(server, "one", `${configMapsPath}/c?dryRun=All`);
    expect((await dry(aConfigMap({ a: "1" }))).status).toBe(201);
    expect((await server.get(`${configMapsPath}/c`)).status).toBe(404);
    await applyAs(server, "one", `${configMapsPath}/c`)(aConfigMap({ a: "1" }));
    expect((await dry(aConfigMap({ a: "2" }))).json.data).toEqual({ a: "2" });
    expect((await server.get(`${configMapsPath}/c`)).json.data).toEqual({ a: "1" });
  });

  test("YAML is parsed as JSON is", async () => {
    await using server = await TestServer.start();
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: '1'\n";
    expect((await applyAs(server, "one", `${configMapsPath}/c`)(yaml)).json.data).toEqual({ a: "1" });
  });

  test("a pod gets its defaults immediately", async () => {
    await using server = await TestServer.start();
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    const created = await applyAs(server, "one", `${podsPath}/p`)(pod);
    expect(created.status).toBe(201);
    expect(created.json.spec.containers[0].imagePullPolicy).toBe("Always");
    expect(fieldsOf(created, "one")).toEqual({
      "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:image": {}, "f:name": {} } } },
    });
  });
});

describe("field ownership", () => {
  test("a field of another manager is a conflict, reported for each field", async () => {
    await using server = await TestServer.start();
    await applyAs(server, "one", `${deployments}/web`)(deployment({ replicas: 1 }));
    await server.patch(`${deployments}/web/scale?fieldManager=kubectl`, { spec: { replicas: 3 } });
    const refused = await applyAs(server, "one", `${deployments}/web`)(deployment({ replicas: 1 }));
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({
      reason: "Conflict",
      message:
        'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
      details: {
        causes: [
          {
            reason: "FieldManagerConflict",
            message: 'conflict with "kubectl" with subresource "scale" using apps/v1',
            field: ".spec.replicas",
          },
        ],
      },
    });
    const forced = await applyAs(server, "one", `${deployments}/web?force=true`)(deployment({ replicas: 1 }));
    expect(forced.json.spec.replicas).toBe(1);
    expect(owners(forced)).toEqual(["one Apply"]);
  });

  test("conflicts with several managers are reported for each manager", async () => {
    await using server = await TestServer.start();
    await applyAs(server, "one", `${configMapsPath}/c`)(aConfigMap({ a: "1", b: "1" }, { labels: { l: "1" } }));
    await server.patch(`${configMapsPath}/c?fieldManager=two`, { metadata: { labels: { l: "2" } } });
    const refused = await applyAs(
      server,
      "three",
      `${configMapsPath}/c`,
    )(aConfigMap({ a: "3", b: "3" }, { labels: { l: "3" } }));
    expect(refused.json.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\n- .data.b\nconflicts with "two" using v1:\n- .metadata.labels.l',
    );
    expect(refused.json.details.causes).toHaveLength(3);
  });

  test("an equal value is owned together and remains until its last owner omits it", async () => {
    await using server = await TestServer.start();
    const [one, two] = [applyAs(server, "one", `${configMapsPath}/c`), applyAs(server, "two", `${configMapsPath}/c`)];
    await one(aConfigMap({ a: "1", b: "1" }));
    const shared = await two(aConfigMap({ a: "1" }));
    expect(owners(shared)).toEqual(["two Apply", "one Apply"]);
    expect(entries(shared)[0]?.time).toBeUndefined();
    expect((await one(aConfigMap({ b: "1" }))).json.data).toEqual({ a: "1", b: "1" });
    expect((await two(aConfigMap({}))).json.data).toEqual({ b: "1" });
  });

  test("an update makes its manager the owner of the fields that it changes and of no other fields", async () => {
    await using server = await TestServer.start();
    const one = applyAs(server, "one", `${configMapsPath}/c`);
    await one(aConfigMap({ a: "1", b: "1" }));
    const edited = await server.patch(`${configMapsPath}/c?fieldManager=edit`, { data: { a: "2", c: "2" } });
    expect(fieldsOf(edited, "one")).toEqual({ "f:data": { "f:b": {} } });
    expect(fieldsOf(edited, "edit")).toEqual({ "f:data": { "f:a": {}, "f:c": {} } });
    // A manager that omits a field no longer owns it; the editor's ownership remains.
    expect((await one(aConfigMap({ b: "1" }))).json.data).toEqual({ a: "2", b: "1", c: "2" });
    expect((await one(aConfigMap({}))).json.data).toEqual({ a: "2", c: "2" });
  });

  test("an update with managedFields: [] removes all owners until the next apply", async () => {
    await using server = await TestServer.start();
    const one = applyAs(server, "one", `${configMapsPath}/c`);
    const { json } = await one(aConfigMap({ a: "1" }));
    const forgotten = await server.put(`${configMapsPath}/c`, {
      ...json,
      metadata: { ...json.metadata, managedFields: [] },
    });
    expect(entries(forgotten)).toEqual([]);
    const unnoticed = await server.patch(`${configMapsPath}/c?fieldManager=edit`, { data: { a: "2" } });
    expect(entries(unnoticed)).toEqual([]);
    const refused = await one(aConfigMap({ a: "1" }));
    expect(refused.json.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
    expect(owners(await one(aConfigMap({ a: "2" })))).toEqual(["one Apply", "before-first-apply Update"]);
  });

  test("managedFields that a client sends are stored if they can be parsed", async () => {
    await using server = await TestServer.start();
    const { json } = await applyAs(server, "one", `${configMapsPath}/c`)(aConfigMap({ a: "1" }));
    const withEntries = (managedFields: unknown) =>
      server.put(`${configMapsPath}/c`, {
        ...json,
        metadata: { ...json.metadata, resourceVersion: "", managedFields },
      });
    const [entry] = json.metadata.managedFields;
    expect(owners(await withEntries([{ ...entry, manager: "renamed" }]))).toEqual(["renamed Apply"]);
    expect(owners(await withEntries([{ ...entry, fieldsV1: { data: 1 } }]))).toEqual(["renamed Apply"]);
    const refused = await withEntries([{ ...entry, manager: "\u0007", operation: "Take" }]);
    expect(refused.json.message).toContain(
      'metadata.managedFields[0].operation: Invalid value: "Take": must be `Apply` or `Update`',
    );
    expect(refused.json.message).toContain("invalid character U+0007 (at position 0)");
  });
});

describe("through subresources", () => {
  test("the status belongs only to the manager that applies it there", async () => {
    await using server = await TestServer.start();
    const created = await applyAs(
      server,
      "one",
      `${deployments}/web`,
    )({
      ...deployment({ replicas: 1 }),
      status: { observedGeneration: 7 },
    });
    expect(created.json.status).toEqual({});
    expect(JSON.stringify(entries(created))).not.toContain("f:status");
    const body = { ...deployment({ replicas: 9 }, { labels: { no: "no" } }), status: { observedGeneration: 1 } };
    const status = await applyAs(server, "two", `${deployments}/web/status`)(body);
    expect(status.json).toMatchObject({ spec: { replicas: 1 }, status: { observedGeneration: 1 } });
    expect(status.json.metadata.labels).toBeUndefined();
    expect(owners(status)).toEqual(["one Apply", "two Apply status"]);
    expect(fieldsOf(status, "two")).toEqual({ "f:status": { "f:observedGeneration": {} } });
    expect(
      (await applyAs(server, "two", `${deployments}/none/status`)({ ...body, metadata: { name: "none" } })).status,
    ).toBe(404);
  });

  test("the scale is applied for its object", async () => {
    await using server = await TestServer.start();
    await applyAs(server, "one", `${deployments}/web`)(deployment({ replicas: 1 }));
    const scale = (replicas: number) => ({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "web" },
      spec: { replicas },
    });
    const two = applyAs(server, "two", `${deployments}/web/scale`);
    expect((await two(scale(2))).json.message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    );
    const forced = await applyAs(server, "two", `${deployments}/web/scale?force=true`)(scale(2));
    expect(forced.json).toMatchObject({ kind: "Scale", spec: { replicas: 2 } });
    const parent = await server.get(`${deployments}/web`);
    expect(owners(parent)).toEqual(["two Apply scale", "one Apply"]);
    expect(fieldsOf(parent, "two")).toEqual({ "f:spec": { "f:replicas": {} } });
    expect(JSON.stringify(fieldsOf(parent, "one"))).not.toContain("replicas");
    expect((await two({ ...scale(2), kind: "Deployment" })).json.message).toBe(
      "invalid object type: autoscaling/v1, Kind=Deployment",
    );
  });
});

describe("fields of kubectl's client-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const createdOnClient = async (server: TestServer) => {
    const last = aConfigMap({ a: "1", b: "1" });
    const body = aConfigMap({ a: "1", b: "1" }, { annotations: { [annotation]: JSON.stringify(last) } });
    await server.post(`${configMapsPath}?fieldManager=kubectl-client-side-apply`, body);
  };

  test("are taken over without a conflict, and the annotation is updated", async () => {
    await using server = await TestServer.start();
    await createdOnClient(server);
    const applied = await applyAs(server, "kubectl", `${configMapsPath}/c`)(aConfigMap({ a: "2", b: "<1>" }));
    expect(applied.status).toBe(200);
    expect(applied.json.data).toEqual({ a: "2", b: "<1>" });
    expect(applied.json.metadata.annotations[annotation]).toBe(
      '{"apiVersion":"v1","data":{"a":"2","b":"\\u003c1\\u003e"},"kind":"ConfigMap","metadata":{"name":"c"}}\n',
    );
  });

  test("are a conflict if another manager has changed them since, and for every other manager", async () => {
    await using server = await TestServer.start();
    await createdOnClient(server);
    await server.patch(`${configMapsPath}/c?fieldManager=edit`, { data: { a: "edited" } });
    const refused = await applyAs(server, "kubectl", `${configMapsPath}/c`)(aConfigMap({ a: "2", b: "2" }));
    expect(refused.json.message).toBe('Apply failed with 1 conflict: conflict with "edit" using v1: .data.a');
    const other = await applyAs(server, "other", `${configMapsPath}/c`)(aConfigMap({ b: "2" }));
    expect(other.json.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.b',
    );
  });
});
