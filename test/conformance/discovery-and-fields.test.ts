import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { type ConformanceClient, eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

// Discovery, chunks of lists, and the strictness of field validation: of kinds and of definitions.

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Installs a definition in a separate group, and waits until its kind is served. */
async function defineKind(api: ConformanceClient, purpose: string, schema: Json) {
  const group = `${purpose}-${api.encoding}.example.com`;
  const kind = `Foo${purpose}`;
  const plural = `${kind.toLowerCase()}s`;
  await expectStatus(
    201,
    api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        scope: "Cluster",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    }),
  );
  const collection = `/apis/${group}/v1/${plural}`;
  await eventually(
    () => api.get(collection),
    ({ status }) => status === 200,
  );
  return { group, kind, plural, collection, apiVersion: `${group}/v1` };
}

/** Sends JSON exactly as it is written, including duplicates. */
function post(api: ConformanceClient, path: string, text: string) {
  return api.call("POST", path, { bytes: Buffer.from(text), contentType: "application/json" });
}

const preserving = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const cronSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { cronSpec: { type: "string" }, ports: { type: "array", items: { type: "integer" } } },
    },
  },
};

const strictField = "fieldValidation=Strict";
const test = (codename: string, check: AreaTest["check"]): AreaTest => ({ tier: "A", codename, check });

async function groupsOf(api: ConformanceClient, path: string) {
  const answer = await api.get(path, { accept: aggregated });
  expect(answer.contentType).toContain("as=APIGroupDiscoveryList");
  expect(answer.json).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
  return answer.json.items as Json[];
}

const expectedResources: [group: string, version: string, resource: string][] = [
  ["", "v1", "namespaces"],
  ["", "v1", "configmaps"],
  ["admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"],
  ["apiextensions.k8s.io", "v1", "customresourcedefinitions"],
  ["apps", "v1", "deployments"],
  ["batch", "v1", "jobs"],
  ["rbac.authorization.k8s.io", "v1", "clusterroles"],
];

async function expectAggregated(api: ConformanceClient): Promise<void> {
  const groups = [...(await groupsOf(api, "/api")), ...(await groupsOf(api, "/apis"))];
  for (const [group, version, resource] of expectedResources) {
    const found = groups
      .find(({ metadata }) => (metadata?.name ?? "") === group)
      ?.versions.find((each: Json) => each.version === version);
    expect(found?.resources.map((each: Json) => each.resource)).toContain(resource);
  }
}

async function expectDefinitionAggregated(api: ConformanceClient, purpose: string): Promise<void> {
  const { group, plural } = await defineKind(api, purpose, preserving);
  await eventually(
    () => groupsOf(api, "/apis"),
    (groups: Json[]) =>
      groups.some(
        ({ metadata, versions }) =>
          metadata.name === group && versions[0].resources.some((each: Json) => each.resource === plural),
      ),
  );
}

const tests: AreaTest[] = [
  test(
    "[sig-api-machinery] AggregatedDiscovery should support aggregated discovery interface [Conformance]",
    expectAggregated,
  ),
  test(
    "[sig-api-machinery] AggregatedDiscovery should support raw aggregated discovery endpoint Accept headers [Conformance]",
    expectAggregated,
  ),
  test("[sig-api-machinery] AggregatedDiscovery should support aggregated discovery interface for CRDs [Conformance]", (api) =>
    expectDefinitionAggregated(api, "agg")),
  test("[sig-api-machinery] AggregatedDiscovery should support raw aggregated discovery request for CRDs [Conformance]", (api) =>
    expectDefinitionAggregated(api, "raw")),
  test("[sig-api-machinery] Discovery should locate the groupVersion and a resource within each APIGroup [Conformance]", async (api) => {
    const { groups } = await expectStatus(200, api.get("/apis", { accept: "application/json" }));
    for (const [group, version, resource] of expectedResources.filter(([name]) => name !== "")) {
      expect(groups.map(({ name }: Json) => name)).toContain(group);
      const one = await expectStatus(200, api.get(`/apis/${group}`, { accept: "application/json" }));
      expect(one.versions.map((each: Json) => each.version)).toContain(version);
      const { resources } = await expectStatus(
        200,
        api.get(`/apis/${group}/${version}`, { accept: "application/json" }),
      );
      expect(resources.map(({ name }: Json) => name)).toContain(resource);
    }
  }),
  test("[sig-api-machinery] Servers with support for API chunking should return chunks of results for list calls [Conformance]", async (api) => {
    const path = `/api/v1/namespaces/${await api.namespace("chunks")}/podtemplates`;
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "busybox" }] } };
    const count = 400;
    const name = (index: number) => `template-${String(index).padStart(4, "0")}`;
    for (let index = 0; index < count; index++)
      await expectStatus(
        201,
        api.post(path, { apiVersion: "v1", kind: "PodTemplate", metadata: { name: name(index) }, template }),
      );
    for (const limit of [37, 100, 399]) {
      const found: string[] = [];
      let [token, revision] = ["", ""];
      do {
        const list = await expectStatus(200, api.get(`${path}?limit=${limit}&continue=${encodeURIComponent(token)}`));
        expect(list.items.length).toBeLessThanOrEqual(limit);
        revision ||= list.metadata.resourceVersion;
        expect(list.metadata.resourceVersion).toBe(revision);
        found.push(...list.items.map(({ metadata }: Json) => metadata.name));
        token = list.metadata.continue ?? "";
      } while (token !== "");
      expect(found).toEqual(Array.from({ length: count }, (_, index) => name(index)));
    }
    const whole = await expectStatus(200, api.get(path));
    expect([whole.items.length, whole.metadata.continue ?? ""]).toEqual([count, ""]);
  }),
  test("[sig-api-machinery] FieldValidation should detect unknown and duplicate fields of a typed object [Conformance]", async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace("fields")}/deployments`;
    const text = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","labels":{"app":"nginx"}},"spec":{"unknownField":"foo","replicas":1,"replicas":2,"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"nginx","imagePullPolicy":"Never","imagePullPolicy":"Always"}]}}}}`;
    const answer = await post(api, `${path}?${strictField}`, text);
    expect(answer.status).toBe(400);
    for (const part of [
      'unknown field "spec.unknownField"',
      'duplicate field "spec.replicas"',
      'duplicate field "spec.template.spec.containers[0].imagePullPolicy"',
    ])
      expect(answer.json.message).toContain(part);
  }),
  test("[sig-api-machinery] FieldValidation should detect unknown metadata fields of a typed object [Conformance]", async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace("fields")}/deployments`;
    const text = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","unknownMeta":"foo","labels":{"app":"nginx"}},"spec":{"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"},"unknownMeta":"bar"},"spec":{"containers":[{"name":"nginx","image":"nginx"}]}}}}`;
    const answer = await post(api, `${path}?${strictField}`, text);
    expect(answer.status).toBe(400);
    for (const field of ["metadata.unknownMeta", "spec.template.metadata.unknownMeta"])
      expect(answer.json.message).toContain(`unknown field "${field}"`);
  }),
  test("[sig-api-machinery] FieldValidation should create/apply a CR with unknown fields for CRD with no validation schema [Conformance]", async (api) => {
    const { collection, apiVersion, kind } = await defineKind(api, "noschema", preserving);
    const object = { apiVersion, kind, metadata: { name: "mytest" }, spec: { foo: "bar" }, unknown: { any: [1] } };
    const applied = await expectStatus(
      201,
      api.patch(`${collection}/mytest?fieldManager=e2e&${strictField}`, object, "apply"),
    );
    expect(applied).toMatchObject({ spec: { foo: "bar" }, unknown: { any: [1] } });
  }),
  test("[sig-api-machinery] FieldValidation should create/apply a valid CR for CRD with validation schema [Conformance]", async (api) => {
    const { collection, apiVersion, kind } = await defineKind(api, "valid", cronSchema);
    const object = { apiVersion, kind, metadata: { name: "mytest" }, spec: { cronSpec: "* * * * */5", ports: [80] } };
    const applied = await expectStatus(
      201,
      api.patch(`${collection}/mytest?fieldManager=e2e&${strictField}`, object, "apply"),
    );
    expect(applied.spec).toEqual(object.spec);
  }),
  test("[sig-api-machinery] FieldValidation should create/apply an invalid CR with extra properties for CRD with validation schema [Conformance]", async (api) => {
    const { collection, apiVersion, kind } = await defineKind(api, "extra", cronSchema);
    const object = { apiVersion, kind, metadata: { name: "mytest" }, spec: { foo: "bar", cronSpec: "* * * * */5" } };
    const applying = await api.patch(`${collection}/mytest?fieldManager=e2e&${strictField}`, object, "apply");
    expect(applying.status).toBeGreaterThanOrEqual(400);
    expect(applying.json.message).toMatch(/spec\.foo/);
    const created = await api.post(`${collection}?${strictField}`, object);
    expect(created).toMatchObject({ status: 400 });
    expect(created.json.message).toContain('unknown field "spec.foo"');
  }),
  test("[sig-api-machinery] FieldValidation should detect duplicates in a CR when preserving unknown fields [Conformance]", async (api) => {
    const { collection, apiVersion, kind } = await defineKind(api, "duplicates", {
      type: "object",
      properties: { spec: { ...cronSchema.properties.spec, "x-kubernetes-preserve-unknown-fields": true } },
    });
    const text = `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"mytest"},"spec":{"unknown1":"a","cronSpec":"* * * * */5","unknown1":"b","cronSpec":"* * * * */6"}}`;
    const answer = await post(api, `${collection}?${strictField}`, text);
    expect(answer.status).toBe(400);
    for (const field of ["spec.unknown1", "spec.cronSpec"])
      expect(answer.json.message).toContain(`duplicate field "${field}"`);
  }),
  test("[sig-api-machinery] FieldValidation should detect unknown metadata fields in both the root and embedded object of a CR [Conformance]", async (api) => {
    const embedded = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: cronSchema.properties.spec },
    };
    const { collection, apiVersion, kind } = await defineKind(api, "embedded", {
      type: "object",
      properties: { spec: { type: "object", properties: { template: embedded } } },
    });
    const template = { apiVersion: "v1", kind: "Any", metadata: { name: "inner", unknownEmbedded: "x" } };
    const object = { apiVersion, kind, metadata: { name: "mytest", unknownMeta: "unknown" }, spec: { template } };
    const answer = await post(api, `${collection}?${strictField}`, JSON.stringify(object));
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain('unknown field "metadata.unknownMeta"');
    expect(answer.json.message).toContain("spec.template.metadata.unknownEmbedded");
  }),
];

describeArea(tests);
