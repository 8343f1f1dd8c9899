import { expect, test } from "vitest";
import { program } from "../program.ts";
import { aPolicy, policiesPath } from "../testing/policies.ts";
import { TestServer } from "../testing/test-server.ts";

const path = policiesPath.Validating;
const rules = (group: string, version: string, ...resources: string[]) => ({
  resourceRules: [{ apiGroups: [group], apiVersions: [version], operations: ["CREATE"], resources }],
});

/** The status of an object after its generation has been observed. */
async function statusOf(server: TestServer, url: string, isDone: (status: Status) => boolean): Promise<Status> {
  for (let turn = 0; turn < 300; turn++) {
    const { json } = await server.get(url);
    if (isDone(json.status ?? {})) return json.status as Status;
    await server.clock.advance(0);
  }
  throw new Error(`the status of ${url} does not come`);
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into statuses freely
type Status = any;

async function checked(server: TestServer, name: string, spec: object): Promise<Status> {
  const { status, json } = await server.post(path, aPolicy(name, spec));
  if (status !== 201) throw new Error(json.message);
  return statusOf(server, `${path}/${name}`, ({ observedGeneration = 0 }) => observedGeneration >= 1);
}

test("validations are checked with the types of the kinds that rules name, in upstream's words", async () => {
  await using server = await TestServer.start();
  const status = await checked(server, "replicas", {
    matchConstraints: rules("apps", "v1", "deployments", "replicasets"),
    variables: [{ name: "wanted", expression: "object.spec.replicas" }],
    validations: [
      { expression: "object.spec.replicas > '1'" },
      { expression: "variables.wanted <= 5", messageExpression: "'too many in ' + object.metadata.nam" },
      { expression: "object.spec.strategy.type == 'Recreate'" },
      { expression: "has(object.metadata.labels.app) && object.spec.template.spec.containers.all(c, c.image != '')" },
    ],
  });
  expect(status).toEqual({
    observedGeneration: 1,
    typeChecking: {
      expressionWarnings: [
        {
          fieldRef: "spec.validations[0].expression",
          warning: ["Deployment", "ReplicaSet"]
            .map(
              (kind) =>
                `apps/v1, Kind=${kind}: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n` +
                " | object.spec.replicas > '1'\n | .....................^\n",
            )
            .join("\n"),
        },
        {
          fieldRef: "spec.validations[1].messageExpression",
          warning: expect.stringMatching(/^apps\/v1, Kind=Deployment: ERROR: <input>:1:33: undefined field 'nam'/),
        },
        {
          fieldRef: "spec.validations[2].expression",
          warning: expect.stringMatching(/^apps\/v1, Kind=ReplicaSet: ERROR: <input>:1:12: undefined field 'strategy'/),
        },
      ],
    },
  });
});

test("an unknown type causes no warning, and a changed policy is checked again", async () => {
  await using server = await TestServer.start();
  const all = await checked(server, "all", {
    matchConstraints: rules("*", "*", "*"),
    validations: [{ expression: "object.anything == 1" }],
  });
  expect(all.typeChecking).toEqual({});
  const subresources = await checked(server, "sub", {
    matchConstraints: rules("", "v1", "pods/exec", "nothing"),
    validations: [{ expression: "object.anything == 1" }],
  });
  expect(subresources.typeChecking).toEqual({});
  await server.patch(`${path}/all`, { spec: { matchConstraints: rules("", "v1", "configmaps") } });
  const again = await statusOf(server, `${path}/all`, ({ observedGeneration }) => observedGeneration === 2);
  expect(again.typeChecking.expressionWarnings).toHaveLength(1);
});

test("parameters have the type of their kind, and no type if the kind is not served", async () => {
  await using server = await TestServer.start();
  const spec = (kind: string) => ({
    paramKind: { apiVersion: "v1", kind },
    matchConstraints: rules("", "v1", "pods"),
    validations: [{ expression: "params.data.limit == '1'" }, { expression: "params.dat == null" }],
  });
  const { typeChecking } = await checked(server, "maps", spec("ConfigMap"));
  expect(typeChecking.expressionWarnings.map(({ fieldRef }: Status) => fieldRef)).toEqual([
    "spec.validations[1].expression",
  ]);
  const { typeChecking: unknown } = await checked(server, "unknown", spec("Unknown"));
  expect(unknown.expressionWarnings[0].warning).toContain("undeclared reference to 'params'");
});

test("custom kinds have the types of their schemas", async () => {
  await using server = await TestServer.start();
  const properties = { spec: { type: "object", properties: { "max-size": { type: "integer" } } } };
  await server.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "lamps.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "lamps", kind: "Lamp" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
      ],
    },
  });
  await statusOf(
    server,
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.example.com",
    ({ conditions = [] }) => conditions.some(({ type, status }: Status) => type === "Established" && status === "True"),
  );
  const { typeChecking } = await checked(server, "lamps", {
    matchConstraints: rules("example.com", "v1", "lamps"),
    validations: [{ expression: "object.spec.max__dash__size > 1" }, { expression: "object.spec.watts > 1" }],
  });
  expect(typeChecking.expressionWarnings).toMatchObject([{ fieldRef: "spec.validations[1].expression" }]);
});

const required = ["data-dir", "tls-cert-file", "tls-private-key-file", "client-ca-file"];

test("the program creates upstream's FlowSchemas and levels even if flow control is off", async () => {
  const { flowObjects, priorityAndFairness } = program.readConfig(required.map((name) => `--${name}=/x`));
  expect([flowObjects, priorityAndFairness]).toEqual([true, false]);
  await using server = await TestServer.start({ flowObjects, priorityAndFairness });
  const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
  const names = async (resource: string) => {
    const { items } = (await server.get(`${group}/${resource}`)).json as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  };
  expect(await names("flowschemas")).toEqual(expect.arrayContaining(["catch-all", "exempt", "probes", "system-nodes"]));
  expect(await names("prioritylevelconfigurations")).toEqual(
    expect.arrayContaining(["catch-all", "exempt", "workload-low", "leader-election"]),
  );
});

test("a FlowSchema shows whether its level exists", async () => {
  await using server = await TestServer.start({ flowObjects: true });
  const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
  const reference = 'This FlowSchema references the PriorityLevelConfiguration object named "fast"';
  await server.post(`${group}/flowschemas`, {
    metadata: { name: "fast" },
    spec: { priorityLevelConfiguration: { name: "fast" } },
  });
  const dangling = (wanted: string) =>
    statusOf(server, `${group}/flowschemas/fast`, ({ conditions = [] }) => conditions[0]?.status === wanted);
  expect((await dangling("True")).conditions).toMatchObject([
    { type: "Dangling", reason: "NotFound", message: `${reference} but there is no such object` },
  ]);
  const { status } = await server.post(`${group}/prioritylevelconfigurations`, {
    metadata: { name: "fast" },
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" } } },
  });
  expect(status).toBe(201);
  expect((await dangling("False")).conditions).toMatchObject([
    { reason: "Found", message: `${reference} and it exists` },
  ]);
  await server.delete(`${group}/prioritylevelconfigurations/fast`);
  await dangling("True");
});
