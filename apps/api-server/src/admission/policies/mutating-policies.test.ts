import { describe, expect, test } from "vitest";
import { policiesPath, policyBindingsPath, rulesOf } from "../../testing/policies.ts";
import { aPod, podsPath, TestServer } from "../../testing/test-server.ts";

const mapsPath = "/api/v1/namespaces/default/configmaps";
const configuration = (expression: string) => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const operations = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

async function mutate(server: TestServer, name: string, spec: object, binding: object = {}) {
  const policy = await server.post(policiesPath.Mutating, {
    metadata: { name },
    spec: { matchConstraints: rulesOf("configmaps"), reinvocationPolicy: "Never", ...spec },
  });
  if (policy.status !== 201) throw new Error(policy.json.message);
  const bound = await server.post(policyBindingsPath.Mutating, {
    metadata: { name },
    spec: { policyName: name, ...binding },
  });
  if (bound.status !== 201) throw new Error(bound.json.message);
}

describe("a mutation changes the object", () => {
  test.each<[string, object[], object]>([
    [
      "by merging fields",
      [configuration('Object{metadata: Object.metadata{labels: {"a": "b"}}, data: {"y": object.data.x + "!"}}')],
      { metadata: { labels: { a: "b" } }, data: { x: "1", y: "1!" } },
    ],
    [
      "by operations",
      [
        operations(
          '[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("y.z"), value: "2"}, JSONPatch{op: "remove", path: "/data/x"}]',
        ),
      ],
      { data: { "y.z": "2" } },
    ],
    [
      "unless an operation's test fails",
      [operations('[JSONPatch{op: "test", path: "/data/x", value: "2"}, JSONPatch{op: "remove", path: "/data/x"}]')],
      { data: { x: "1" } },
    ],
    [
      "one after the other",
      [configuration('Object{data: {"y": "2"}}'), configuration('Object{data: {"z": object.data.y + "3"}}')],
      { data: { x: "1", y: "2", z: "23" } },
    ],
  ])("%s", async (_name, mutations, expected) => {
    await using server = await TestServer.start();
    await mutate(server, "p", { mutations });
    const created = await server.post(mapsPath, { metadata: { name: "m" }, data: { x: "1" } });
    expect(created.json).toMatchObject(expected);
    expect((await server.get(`${mapsPath}/m`)).json.data).toEqual(created.json.data);
  });

  test("in a pod's list by the key of its items, with parameters and variables", async () => {
    await using server = await TestServer.start();
    await server.post(mapsPath, { metadata: { name: "mesh" }, data: { image: "mesh:1" } });
    await mutate(
      server,
      "sidecar",
      {
        matchConstraints: rulesOf("pods"),
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        matchConditions: [
          { name: "absent", expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'mesh')" },
        ],
        variables: [{ name: "image", expression: "params.data.image" }],
        mutations: [
          configuration(
            'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "mesh", image: variables.image, restartPolicy: "Always"}]}}',
          ),
        ],
        reinvocationPolicy: "IfNeeded",
      },
      { paramRef: { name: "mesh", parameterNotFoundAction: "Deny" } },
    );
    const pod = await server.post(podsPath, aPod("p", { spec: { initContainers: [{ name: "first", image: "a:1" }] } }));
    expect(pod.json.spec.initContainers).toMatchObject([
      { name: "first", image: "a:1" },
      { name: "mesh", image: "mesh:1", restartPolicy: "Always", imagePullPolicy: "IfNotPresent" },
    ]);
  });
});

test("a policy is applied again after a later change only once and only if it sets reinvocationPolicy", async () => {
  await using server = await TestServer.start();
  const count = (key: string) =>
    configuration(`Object{data: {"${key}": string(int(object.data.?${key}.orValue("0")) + 1)}}`);
  await mutate(server, "a", { mutations: [count("a")], reinvocationPolicy: "IfNeeded" });
  await mutate(server, "b", { mutations: [count("b")] });
  const created = await server.post(mapsPath, { metadata: { name: "m" }, data: { x: "1" } });
  expect(created.json.data).toEqual({ a: "2", b: "1", x: "1" });
});

describe("a failed mutation rejects the request unless the failure policy ignores it", () => {
  test.each<[string, object, string]>([
    [
      "for a missing field",
      configuration('Object{dat: {"a": "b"}}'),
      "error applying patch: failed to convert patch object to typed object: .dat: field not declared in schema",
    ],
    [
      "for a list that is replaced as a whole",
      configuration('Object{metadata: Object.metadata{managedFields: [Object.metadata.managedFields{manager: "me"}]}}'),
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.managedFields",
    ],
    ["for an operation that does not fit", operations('[JSONPatch{op: "remove", path: "/data/none"}]'), "JSONPath: "],
    [
      "for another name",
      configuration('Object{metadata: Object.metadata{name: "other"}}'),
      "metadata.name was changed",
    ],
    [
      "for a missing value",
      configuration('Object{data: {"a": object.data.none}}'),
      "resulted in error: no such key: none",
    ],
  ])("%s", async (_name, mutation, message) => {
    await using server = await TestServer.start();
    await mutate(server, "p", { mutations: [mutation] });
    const refused = await server.post(mapsPath, { metadata: { name: "m" }, data: { x: "1" } });
    expect([refused.status, refused.json.message]).toEqual([
      403,
      expect.stringContaining(`policy 'p' with binding 'p' denied request: `),
    ]);
    expect(refused.json.message).toContain(message);
    await server.patch(`${policiesPath.Mutating}/p`, { spec: { failurePolicy: "Ignore" } });
    const created = await server.post(mapsPath, { metadata: { name: "m" }, data: { x: "1" } });
    expect([created.status, created.json.data]).toEqual([201, { x: "1" }]);
  });
});

test.each([
  ["Object{spec: Object.wrong{}}", 'unexpected type name "Object.wrong", expected "Object.spec"'],
  ["Objekt{spec: 1}", "undeclared reference to 'Objekt' (in container '')"],
])("a policy with patches of wrong types is rejected: %s", async (expression, fault) => {
  await using server = await TestServer.start();
  const refused = await server.post(policiesPath.Mutating, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: rulesOf("configmaps"),
      reinvocationPolicy: "Never",
      mutations: [configuration(expression)],
    },
  });
  expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining(fault)]);
});

test("all versions of a policy show the same object", async () => {
  await using server = await TestServer.start();
  await mutate(server, "p", { mutations: [configuration("Object{}")] });
  for (const version of ["v1", "v1beta1", "v1alpha1"]) {
    const { json } = await server.get(`/apis/admissionregistration.k8s.io/${version}/mutatingadmissionpolicies/p`);
    expect(json).toMatchObject({ apiVersion: `admissionregistration.k8s.io/${version}`, metadata: { name: "p" } });
  }
});
