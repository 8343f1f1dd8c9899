import { createMetrics } from "@kintsugi/daemon";
import { describe, expect, test } from "vitest";
import { aPolicy, bindPolicy, policiesPath, policyBindingsPath, rulesOf } from "../../testing/policies.ts";
import { TestServer } from "../../testing/test-server.ts";

const mapsPath = "/api/v1/namespaces/default/configmaps";
const aMap = (name: string, data: object = {}, more: object = {}) => ({ metadata: { name, ...more }, data });

test("a request that violates a validation is rejected in upstream's words", async () => {
  await using server = await TestServer.start();
  await bindPolicy(server, "demo-policy.example.com", {
    matchConstraints: rulesOf("deployments", "apps"),
    validations: [{ expression: "object.spec.replicas <= 5" }],
  });
  const labels = { app: "nginx" };
  const deployment = (replicas: number) => ({
    metadata: { name: "nginx" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
    },
  });
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const refused = await server.post(path, deployment(6));
  const because =
    "ValidatingAdmissionPolicy 'demo-policy.example.com' with binding 'demo-policy.example.com' denied request: failed expression: object.spec.replicas <= 5";
  expect([refused.status, refused.json.reason, refused.json.message]).toEqual([
    422,
    "Invalid",
    `deployments.apps "nginx" is forbidden: ${because}`,
  ]);
  expect(refused.json.details).toMatchObject({ name: "nginx", group: "apps", causes: [{ message: because }] });
  expect((await server.post(path, deployment(5))).status).toBe(201);
  expect((await server.patch(`${path}/nginx`, { spec: { replicas: 7 } })).status).toBe(422);
  expect((await server.get(`${path}/nginx`)).json.spec.replicas).toBe(5);
});

test("checks are counted by policy, binding, action and error", async () => {
  const metrics = createMetrics();
  await using server = await TestServer.start({}, { metrics });
  await bindPolicy(server, "short", {
    matchConstraints: rulesOf("configmaps"),
    validations: [{ expression: "!has(object.data)" }],
  });
  await server.post(mapsPath, aMap("a"));
  await server.post(mapsPath, { metadata: { name: "empty" } });
  await server.post(mapsPath, aMap("b", { x: "y" }));
  const text = await metrics.exposition();
  const counted = (action: string) =>
    new RegExp(
      `apiserver_validating_admission_policy_check_total\\{policy="short",policy_binding="short",error_type="no_error",enforcement_action="${action}"\\} (\\d+)`,
    ).exec(text)?.[1];
  expect([counted("allow"), counted("deny")]).toEqual(["1", "2"]);
});

describe("the message and the reason of a refusal", () => {
  test.each<[string, object, string, number]>([
    ["are the validation's", { message: "no data", reason: "Forbidden" }, "no data", 403],
    ["are made by an expression", { messageExpression: "'no ' + object.metadata.name" }, "no m", 422],
    [
      "are the message's text if the expression fails",
      { messageExpression: "string(object.spec.none)", message: "plain" },
      "plain",
      422,
    ],
    [
      "are the message's text if the expression returns nothing",
      { messageExpression: "' '", message: "plain" },
      "plain",
      422,
    ],
    ["may be about size", { reason: "RequestEntityTooLarge" }, "failed expression: false", 413],
  ])("%s", async (_name, validation, message, code) => {
    await using server = await TestServer.start();
    await bindPolicy(server, "p", { validations: [{ expression: "false", ...validation }] });
    const { status, json } = await server.post(mapsPath, aMap("m"));
    expect([status, json.message]).toEqual([
      code,
      `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: ${message}`,
    ]);
  });
});

describe("an expression sees", () => {
  test.each<[string, string]>([
    ["the object", "object.data.a == '1' && object.kind == 'ConfigMap' && object.apiVersion == 'v1'"],
    ["no old object of a create", "oldObject == null"],
    ["the request", "request.operation == 'CREATE' && request.name == 'm' && request.namespace == 'default'"],
    ["its resource", "request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'"],
    ["its user", "request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups"],
    ["the namespace", "namespaceObject.metadata.name == 'default' && namespaceObject.status.phase == 'Active'"],
    ["the authorizer", "authorizer.group('apps').resource('deployments').namespace('x').check('create').allowed()"],
    ["rights on the resource", "authorizer.requestResource.check('create').allowed()"],
    [
      "rights of an account",
      "!authorizer.serviceAccount('default', 'web').group('').resource('pods').check('get').allowed()",
    ],
    ["rights on a path", "authorizer.path('/healthz').check('get').allowed()"],
    ["variables", "variables.two == variables.one + 1"],
    ["dry runs", "request.dryRun == false"],
    ["integers as such", "type(object.metadata.?generation.orValue(1)) == int"],
  ])("%s", async (_name, expression) => {
    await using server = await TestServer.start();
    await bindPolicy(server, "p", {
      variables: [
        { name: "one", expression: "1" },
        { name: "two", expression: "variables.one + 1" },
      ],
      validations: [{ expression }],
    });
    expect(await server.post(mapsPath, aMap("m", { a: "1" }))).toMatchObject({ status: 201 });
  });

  test("the object before an update and a delete", async () => {
    await using server = await TestServer.start();
    await server.post(mapsPath, aMap("m", { a: "1" }));
    await bindPolicy(server, "p", {
      matchConstraints: rulesOf("configmaps", "", ["UPDATE", "DELETE"]),
      validations: [
        { expression: "request.operation != 'UPDATE' || object.data.a == oldObject.data.a", message: "a stays" },
        { expression: "request.operation != 'DELETE' || (object == null && oldObject.data.a != '1')", message: "kept" },
      ],
    });
    expect((await server.patch(`${mapsPath}/m`, { data: { a: "2" } })).json.message).toContain("a stays");
    expect((await server.patch(`${mapsPath}/m`, { data: { b: "2" } })).status).toBe(200);
    expect((await server.delete(`${mapsPath}/m`)).json.message).toContain("kept");
  });
});

describe("a policy that cannot be evaluated", () => {
  test.each<[string, object, object, string]>([
    [
      "for a missing field",
      { validations: [{ expression: "object.data.none == 'a'" }] },
      {},
      "expression 'object.data.none == 'a'' resulted in error: no such key: none",
    ],
    [
      "for its cost",
      {
        validations: [
          {
            expression:
              "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, true))))))",
          },
        ],
      },
      {},
      "resulted in error: operation cancelled: actual cost limit exceeded",
    ],
    [
      "for a condition",
      {
        matchConditions: [{ name: "c", expression: "object.data.none == 'a'" }],
        validations: [{ expression: "true" }],
      },
      {},
      "expression 'object.data.none == 'a'' resulted in error: no such key: none",
    ],
    [
      "for a variable",
      {
        variables: [{ name: "v", expression: "object.data.none" }],
        validations: [{ expression: "variables.v == 'a'" }],
      },
      {},
      'composited variable "v" fails to evaluate',
    ],
    [
      "for an unknown kind of parameters",
      { paramKind: { apiVersion: "rules.example.com/v1", kind: "Limit" }, validations: [{ expression: "true" }] },
      { paramRef: { name: "a", parameterNotFoundAction: "Deny" } },
      "failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=Limit'",
    ],
    [
      "for missing parameters",
      { paramKind: { apiVersion: "v1", kind: "Secret" }, validations: [{ expression: "true" }] },
      { paramRef: { name: "a", parameterNotFoundAction: "Deny" } },
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
  ])("%s rejects the request unless the failure policy ignores it", async (_name, spec, binding, message) => {
    await using server = await TestServer.start();
    await bindPolicy(server, "fails", spec, binding);
    const refused = await server.post(mapsPath, aMap("m", { a: "1" }));
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining(message)]);
    await server.delete(`${policyBindingsPath.Validating}/fails`);
    await bindPolicy(server, "ignores", { ...spec, failurePolicy: "Ignore" }, binding);
    expect((await server.post(mapsPath, aMap("m", { a: "1" }))).status).toBe(201);
  });
});

test("a request is checked with parameters: by name, by labels, and of its own namespace", async () => {
  await using server = await TestServer.start();
  const limit = (name: string, max: string) =>
    server.post(mapsPath, aMap(name, { max }, { labels: { kind: "limit" } }));
  await limit("one", "3");
  await limit("two", "5");
  const spec = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [
      {
        expression: "size(object.data) <= int(params.data.max)",
        messageExpression: "'at most ' + params.data.max + ' by ' + params.metadata.name",
      },
    ],
  };
  const three = aMap("m", { a: "", b: "", c: "", d: "" });
  const denied = { parameterNotFoundAction: "Deny" };
  await bindPolicy(server, "named", spec, { paramRef: { name: "two", ...denied } });
  expect((await server.post(mapsPath, three)).status).toBe(201);
  await server.delete(`${mapsPath}/m`);
  await bindPolicy(server, "selected", spec, { paramRef: { selector: { matchLabels: { kind: "limit" } }, ...denied } });
  expect((await server.post(mapsPath, three)).json.message).toContain("at most 3 by one");
  await server.post("/api/v1/namespaces", { metadata: { name: "other" } });
  const elsewhere = await server.post("/api/v1/namespaces/other/configmaps", three);
  expect(elsewhere.json.message).toContain("no params found for policy binding");
});

test("a binding may warn and annotate instead of denying", async () => {
  await using server = await TestServer.start();
  await bindPolicy(
    server,
    "soft",
    {
      validations: [{ expression: "false", message: "not good" }],
      auditAnnotations: [{ key: "who", valueExpression: "request.userInfo.username" }],
    },
    { validationActions: ["Warn", "Audit"] },
  );
  const created = await server.post(mapsPath, aMap("m"));
  expect([created.status, created.headers["warning"]]).toEqual([
    201,
    `299 - "Validation failed for ValidatingAdmissionPolicy 'soft' with binding 'soft': not good"`,
  ]);
});

describe("rules select requests", () => {
  const denies = { validations: [{ expression: "false", message: "matched" }] };

  test.each<[string, object, object, boolean]>([
    ["by resource", { matchConstraints: rulesOf("secrets") }, {}, false],
    [
      "by name",
      {
        matchConstraints: { resourceRules: [{ ...rulesOf("configmaps").resourceRules[0], resourceNames: ["other"] }] },
      },
      {},
      false,
    ],
    [
      "except for excluded requests",
      {
        matchConstraints: {
          ...rulesOf("configmaps"),
          excludeResourceRules: [{ ...rulesOf("configmaps").resourceRules[0], resourceNames: ["m"] }],
        },
      },
      {},
      false,
    ],
    [
      "by labels of the object",
      { matchConstraints: { ...rulesOf("configmaps"), objectSelector: { matchLabels: { a: "b" } } } },
      {},
      false,
    ],
    [
      "by labels of the namespace",
      {
        matchConstraints: {
          ...rulesOf("configmaps"),
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
        },
      },
      {},
      true,
    ],
    ["by conditions", { matchConditions: [{ name: "n", expression: "request.name != 'm'" }] }, {}, false],
    [
      "by the object selector of their binding",
      {},
      { matchResources: { objectSelector: { matchLabels: { a: "b" } } } },
      false,
    ],
    ["but not by an empty selector of their binding", {}, { matchResources: { namespaceSelector: {} } }, true],
  ])("%s", async (_name, spec, binding, matched) => {
    await using server = await TestServer.start();
    await bindPolicy(server, "p", { ...denies, ...spec }, binding);
    expect((await server.post(mapsPath, aMap("m"))).status).toBe(matched ? 422 : 201);
  });
});

test("a policy without a binding has no effect, and neither policies nor bindings are checked", async () => {
  await using server = await TestServer.start();
  const everything = { resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }] };
  await server.post(policiesPath.Validating, aPolicy("p", { validations: [{ expression: "false" }] }));
  expect((await server.post(mapsPath, aMap("m"))).status).toBe(201);
  await bindPolicy(server, "all", { matchConstraints: everything, validations: [{ expression: "false" }] });
  expect((await server.post(mapsPath, aMap("n"))).status).toBe(422);
  for (const path of [`${policyBindingsPath.Validating}/all`, `${policiesPath.Validating}/all`]) {
    expect((await server.patch(path, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect((await server.delete(path)).status).toBe(200);
  }
  expect((await server.post(mapsPath, aMap("n"))).status).toBe(201);
});

test("a policy never shows its author an object that the author may not read", async () => {
  await using server = await TestServer.start();
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const rules = [{ apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] }];
  await server.post(`${rbac}/clusterroles`, { metadata: { name: "author" }, rules });
  await server.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: "author" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "author" },
    subjects: [{ kind: "User", apiGroup, name: "jane" }],
  });
  const jane = { user: { name: "jane", groups: ["system:authenticated"] } };
  const validations = [{ expression: "false", messageExpression: "string(params.data.key)" }];
  const paramKind = { apiVersion: "v1", kind: "Secret" };
  const paramRef = { name: "key", namespace: "kube-system", parameterNotFoundAction: "Deny" };
  const binding = { metadata: { name: "p" }, spec: { policyName: "p", validationActions: ["Deny"], paramRef } };
  const policy = await server.post(policiesPath.Validating, aPolicy("p", { validations, paramKind }), jane);
  expect([policy.status, policy.json.message]).toEqual([422, expect.stringContaining("spec.paramKind: Forbidden")]);
  await server.post(policiesPath.Validating, aPolicy("p", { validations, paramKind }));
  const bound = await server.post(policyBindingsPath.Validating, binding, jane);
  expect([bound.status, bound.json.message]).toEqual([422, expect.stringContaining("spec.paramRef: Forbidden")]);
  expect((await server.post(policyBindingsPath.Validating, binding)).status).toBe(201);
});
