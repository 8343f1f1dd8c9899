import { describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import { cronTabDefinition, definitionsPath, establish, startWithCronTabs } from "./testing/cron-tabs.ts";

const group = "/apis/stable.example.com/v1";
const path = `${group}/namespaces/default/crontabs`;
const cronTab = (name: string, spec: object = { cronSpec: "* * * * */5", image: "my-image" }) => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name },
  spec,
});
const table = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };

describe("a definition", () => {
  test("is established with its names, and is listed by discovery in either form", async () => {
    await using server = await TestServer.start();
    const made = await server.post(definitionsPath, cronTabDefinition());
    expect([made.status, made.json.status]).toEqual([
      201,
      { storedVersions: ["v1"], acceptedNames: { plural: "", kind: "" } },
    ]);
    const established = await establish(server, "crontabs.stable.example.com");
    expect(established.status).toEqual({
      conditions: [
        expect.objectContaining({
          type: "NamesAccepted",
          status: "True",
          reason: "NoConflicts",
          message: "no conflicts found",
        }),
        expect.objectContaining({
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        }),
      ],
      acceptedNames: {
        plural: "crontabs",
        singular: "crontab",
        shortNames: ["ct"],
        kind: "CronTab",
        listKind: "CronTabList",
        categories: ["all"],
      },
      storedVersions: ["v1"],
    });
    const { resources } = (await server.get(group)).json;
    expect(resources.map(({ name }: { name: string }) => name)).toEqual([
      "crontabs",
      "crontabs/status",
      "crontabs/scale",
    ]);
    expect(resources[0]).toMatchObject({ singularName: "crontab", shortNames: ["ct"], categories: ["all"] });
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    expect((await server.get("/apis", { headers: { accept } })).text).toContain('"resource":"crontabs"');
  });

  test("whose names belong to another definition is established after that definition is removed", async () => {
    await using server = await startWithCronTabs();
    const other = cronTabDefinition({
      plural: "crontables",
      singular: "crontable",
      kind: "CronTable",
      listKind: "CronTableList",
    });
    await server.post(definitionsPath, other);
    await server.clock.settle();
    const refused = (await server.get(`${definitionsPath}/crontables.stable.example.com`)).json;
    expect(refused.status.conditions).toMatchObject([
      { type: "NamesAccepted", status: "False", reason: "ShortNamesConflict", message: '"ct" is already in use' },
      { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
    ]);
    expect((await server.get(`${group}/namespaces/default/crontables`)).status).toBe(404);
    await server.delete(`${definitionsPath}/crontabs.stable.example.com`);
    await establish(server, "crontables.stable.example.com");
    expect((await server.get(`${group}/namespaces/default/crontables`)).status).toBe(200);
  });

  test("of a built-in kind is not established", async () => {
    await using server = await TestServer.start();
    const definition = cronTabDefinition({ plural: "roles", singular: "role", kind: "Role", listKind: "RoleList" });
    definition.metadata.name = "roles.rbac.authorization.k8s.io";
    definition.spec.group = "rbac.authorization.k8s.io";
    const unapproved = await server.post(definitionsPath, definition);
    expect([unapproved.status, unapproved.json.message]).toEqual([
      422,
      'CustomResourceDefinition.apiextensions.k8s.io "roles.rbac.authorization.k8s.io" is invalid: metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ]);
    const annotations = { "api-approved.kubernetes.io": "unapproved, a test" };
    await server.post(definitionsPath, { ...definition, metadata: { ...definition.metadata, annotations } });
    await server.clock.settle();
    const { status } = (await server.get(`${definitionsPath}/roles.rbac.authorization.k8s.io`)).json;
    expect(status.conditions).toMatchObject([
      { type: "NamesAccepted", status: "False", reason: "ListKindConflict" },
      { type: "Established", status: "False" },
      { type: "KubernetesAPIApprovalPolicyConformant", status: "False", reason: "UnapprovedAnnotation" },
    ]);
    expect((await server.get("/apis/rbac.authorization.k8s.io/v1/roles")).json.kind).toBe("RoleList");
  });

  test("is served again after a restart", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a"));
    await using again = await TestServer.start({}, { store: server.store });
    expect((await again.get(`${path}/a`)).json.spec.image).toBe("my-image");
  });
});

describe("an object", () => {
  test("is pruned, defaulted and counted by generations", async () => {
    await using server = await startWithCronTabs();
    const made = await server.post(path, { ...cronTab("a", { image: "i", hidden: 1 }), hidden: { a: 1 } });
    expect([made.status, made.json.spec, made.json.hidden, made.json.metadata.generation]).toEqual([
      201,
      { image: "i", replicas: 1 },
      undefined,
      1,
    ]);
    const patched = await server.patch(`${path}/a`, { spec: { image: "j" } });
    expect([patched.json.spec.image, patched.json.metadata.generation]).toEqual(["j", 2]);
    const status = await server.patch(`${path}/a/status`, {
      status: { replicas: 3, hidden: 1 },
      spec: { image: "k" },
      metadata: { labels: { a: "b" } },
    });
    expect([status.json.status, status.json.spec.image, status.json.metadata.labels]).toEqual([
      { replicas: 3 },
      "j",
      undefined,
    ]);
    expect(status.json.metadata.generation).toBe(2);
  });

  test("is rejected in upstream's words", async () => {
    await using server = await startWithCronTabs();
    const refused = await server.post(path, cronTab("a", { cronSpec: "0 * * *", replicas: 11, image: 5 }));
    expect([refused.status, refused.json.message]).toEqual([
      422,
      'CronTab.stable.example.com "a" is invalid: [spec.cronSpec: Invalid value: "0 * * *": spec.cronSpec in body should match \'^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$\', spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10, spec.image: Invalid value: "integer": spec.image in body must be of type string: "integer"]',
    ]);
    const missing = await server.post(path, cronTab("a", {}));
    expect(missing.json.message).toContain("spec.image: Required value");
    const strict = await server.post(`${path}?fieldValidation=Strict`, cronTab("a", { image: "i", imagee: "j" }));
    expect([strict.status, strict.json.message]).toEqual([
      400,
      'CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: unknown field "spec.imagee"',
    ]);
    const warned = await server.post(`${path}?fieldValidation=Warn`, cronTab("a", { image: "i", imagee: "j" }));
    expect([warned.status, warned.headers["warning"]]).toEqual([201, '299 - "unknown field \\"spec.imagee\\""']);
  });

  test("accepts patches and applies, but no strategic merge patches", async () => {
    await using server = await startWithCronTabs();
    const apply = { contentType: "application/apply-patch+yaml" };
    const applied = await server.patch(`${path}/a?fieldManager=m`, cronTab("a", { image: "i" }), apply);
    expect([applied.status, applied.json.metadata.managedFields[0].fieldsV1]).toEqual([
      201,
      { "f:spec": { "f:image": {} } },
    ]);
    const conflict = await server.patch(`${path}/a?fieldManager=n`, cronTab("a", { image: "j" }), apply);
    expect([conflict.status, conflict.json.message]).toEqual([
      409,
      expect.stringContaining('conflict with "m": .spec.image'),
    ]);
    const json = { contentType: "application/json-patch+json" };
    const patched = await server.patch(`${path}/a`, [{ op: "add", path: "/spec/free", value: { a: [1] } }], json);
    expect(patched.json.spec.free).toEqual({ a: [1] });
    const strategic = { contentType: "application/strategic-merge-patch+json" };
    expect((await server.patch(`${path}/a`, { spec: { image: "j" } }, strategic)).status).toBe(415);
    const free = cronTab("b", { image: "i", free: { a: { b: 1 } } });
    await server.patch(`${path}/b?fieldManager=m`, free, apply);
    const other = { ...free, spec: { image: "i", free: { a: { c: 2 } } } };
    const merged = await server.patch(`${path}/b?fieldManager=n`, other, apply);
    expect(merged.json.spec.free).toEqual({ a: { b: 1, c: 2 } });
  });

  test("is recorded in updates as upstream records custom kinds", async () => {
    await using server = await startWithCronTabs();
    const made = await server.post(`${path}?fieldManager=m`, cronTab("a", { image: "i" }));
    expect(made.json.metadata.managedFields[0].fieldsV1).toEqual({
      "f:spec": { ".": {}, "f:image": {}, "f:replicas": {} },
    });
  });

  test("is scaled, and is shown in a Table by the definition's columns", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a", { image: "i", replicas: 2 }));
    await server.patch(`${path}/a/status`, { status: { replicas: 1, labelSelector: "app=a" } });
    const scale = (await server.get(`${path}/a/scale`)).json;
    expect([scale.spec, scale.status]).toEqual([{ replicas: 2 }, { replicas: 1, selector: "app=a" }]);
    expect((await server.patch(`${path}/a/scale`, { spec: { replicas: 5 } })).json.spec).toEqual({ replicas: 5 });
    const tooMany = await server.patch(`${path}/a/scale`, { spec: { replicas: 50 } });
    expect([tooMany.status, tooMany.json.message]).toEqual([422, expect.stringContaining("less than or equal to 10")]);
    const { columnDefinitions, rows } = (await server.get(path, table)).json;
    expect(columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(["Name", "Spec", "Replicas", "Age"]);
    expect(rows[0].cells).toEqual(["a", null, 5, "0s"]);
  });

  test("is selected by the definition's selectable fields", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a", { image: "i" }));
    await server.post(path, cronTab("b", { image: "j" }));
    const { items } = (await server.get(`${path}?fieldSelector=spec.image=j`)).json;
    expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(["b"]);
    expect((await server.get(`${path}?fieldSelector=spec.cronSpec=j`)).status).toBe(400);
  });

  test("is checked by its definition's rules, whichever way it is written", async () => {
    await using server = await startWithCronTabs();
    const definition = cronTabDefinition();
    const spec = definition.spec.versions[0]!.schema.openAPIV3Schema.properties.spec as Record<string, unknown>;
    spec["x-kubernetes-validations"] = [
      { rule: "self.replicas != 7", message: "seven is not allowed" },
      { rule: "self.image == oldSelf.image", message: "image is immutable" },
    ];
    const changed = await server.patch(`${definitionsPath}/crontabs.stable.example.com`, { spec: definition.spec });
    expect(changed.status).toBe(200);
    const refused = await server.post(path, cronTab("a", { image: "i", replicas: 7 }));
    expect([refused.status, refused.json.message]).toEqual([
      422,
      'CronTab.stable.example.com "a" is invalid: spec: Invalid value: "object": seven is not allowed',
    ]);
    const mistyped = await server.post(path, cronTab("a", { image: 1, replicas: 7 }));
    expect([mistyped.status, mistyped.json.message]).toEqual([
      422,
      expect.stringContaining(
        "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      ),
    ]);
    expect(mistyped.json.message).not.toContain("seven");
    await server.post(path, cronTab("a", { image: "i" }));
    expect((await server.patch(`${path}/a/scale`, { spec: { replicas: 7 } })).status).toBe(422);
    const immutable = await server.patch(`${path}/a`, { spec: { image: "j" } });
    expect([immutable.status, immutable.json.message]).toEqual([422, expect.stringContaining("image is immutable")]);
    spec["x-kubernetes-validations"] = [{ rule: "self.imagee == ''" }];
    const broken = await server.patch(`${definitionsPath}/crontabs.stable.example.com`, { spec: definition.spec });
    expect([broken.status, broken.json.message]).toEqual([422, expect.stringContaining("undefined field 'imagee'")]);
  });

  test("needs a resourceVersion in a PUT", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a", { image: "i" }));
    const put = await server.put(`${path}/a`, cronTab("a", { image: "j" }));
    expect([put.status, put.json.message]).toEqual([
      422,
      'CronTab.stable.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });
});

describe("a change of the definition", () => {
  test("ends watches without an error, and reads older objects by the new schema", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a", { image: "i" }));
    const watch = await server.watch(`${path}?watch=true&resourceVersion=${server.store.revision()}`);
    const definition = cronTabDefinition();
    const [version] = definition.spec.versions;
    const properties = version?.schema.openAPIV3Schema.properties.spec.properties as Record<string, unknown>;
    properties["colour"] = { type: "string", default: "red" };
    delete properties["replicas"];
    delete version?.subresources.scale;
    const changed = await server.patch(`${definitionsPath}/crontabs.stable.example.com`, { spec: definition.spec });
    expect(changed.status).toBe(200);
    expect(await watch.next()).toBeUndefined();
    expect((await server.get(`${path}/a`)).json.spec).toEqual({ image: "i", colour: "red" });
    expect((await server.get(path)).json.items[0].spec).toEqual({ image: "i", colour: "red" });
  });

  test("keeps an unchanged object valid after its schema becomes stricter", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a", { image: "i", replicas: 9 }));
    const definition = cronTabDefinition();
    definition.spec.versions[0]!.schema.openAPIV3Schema.properties.spec.properties.replicas.maximum = 5;
    await server.patch(`${definitionsPath}/crontabs.stable.example.com`, { spec: definition.spec });
    expect((await server.patch(`${path}/a`, { spec: { image: "j" } })).status).toBe(200);
    expect((await server.patch(`${path}/a`, { spec: { replicas: 8 } })).status).toBe(422);
  });

  test("serves two versions of one object", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a", { image: "i" }));
    const definition = cronTabDefinition();
    const [v1] = definition.spec.versions;
    definition.spec.versions.push({ ...structuredClone(v1!), name: "v2", storage: false });
    await server.patch(`${definitionsPath}/crontabs.stable.example.com`, { spec: definition.spec });
    const inV2 = path.replace("/v1/", "/v2/");
    expect((await server.get(`${inV2}/a`)).json).toMatchObject({
      apiVersion: "stable.example.com/v2",
      kind: "CronTab",
    });
    await server.post(inV2, { ...cronTab("b", { image: "i" }), apiVersion: "stable.example.com/v2" });
    expect((await server.get(path)).json.items.map(({ apiVersion }: { apiVersion: string }) => apiVersion)).toEqual([
      "stable.example.com/v1",
      "stable.example.com/v1",
    ]);
    const { versions, preferredVersion } = (await server.get("/apis/stable.example.com")).json;
    expect([versions.length, preferredVersion.version]).toEqual([2, "v2"]);
    const gone = await server.patch(`${definitionsPath}/crontabs.stable.example.com`, {
      spec: { versions: definition.spec.versions.slice(1).map((version) => ({ ...version, storage: true })) },
    });
    expect([gone.status, gone.json.message]).toEqual([
      422,
      expect.stringContaining("missing from spec.versions; v1 was"),
    ]);
  });
});

describe("a definition that is deleted", () => {
  test("deletes its objects first, rejects new objects, and ends watches", async () => {
    await using server = await startWithCronTabs();
    await server.post(path, cronTab("a"));
    await server.post(path, { ...cronTab("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const watch = await server.watch(`${path}?watch=true&resourceVersion=${server.store.revision()}`);
    const deleted = await server.delete(`${definitionsPath}/crontabs.stable.example.com`);
    expect(deleted.json.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    await server.clock.settle();
    expect((await watch.take(2)).map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "DELETED a",
      "MODIFIED held",
    ]);
    const refused = await server.post(path, cronTab("b"));
    expect([refused.status, refused.json.message]).toEqual([
      405,
      "create not allowed while custom resource definition is terminating",
    ]);
    const { status } = (await server.get(`${definitionsPath}/crontabs.stable.example.com`)).json;
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: "Terminating", status: "True" }));
    await server.patch(`${path}/held`, { metadata: { finalizers: null } });
    await server.clock.settle();
    expect((await server.get(`${definitionsPath}/crontabs.stable.example.com`)).status).toBe(404);
    expect((await server.get(path)).status).toBe(404);
    expect((await watch.take(2)).map(({ type }) => type)).toEqual(["DELETED", "ERROR"]);
    expect(server.store.count("stable.example.com/crontabs/")).toBe(0);
  });
});
