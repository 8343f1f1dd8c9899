import { describe, expect, test } from "vitest";
import { anAsyncStep, isOfTest } from "../testing/async-steps.ts";
import { type Answer, TestServer } from "../testing/test-server.ts";

// A replica of the store decides a write again when another replica committed first. Each write is
// done by a server whose store decides once, and by a server whose store decides every write twice.

const ns = "/api/v1/namespaces/default";
const container = { name: "c", image: "i", resources: { requests: { cpu: "100m" } } };
const aPod = (name: string, more: object = {}) => ({ metadata: { name }, spec: { containers: [container], ...more } });
const aService = (name: string, spec: object) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
const aConfigMap = (data: object) => ({ metadata: { name: "settings" }, data });
const strict = "?fieldValidation=Warn";

type Call = (server: TestServer) => Promise<Answer>;
interface Case {
  before?: readonly Call[];
  write: Call;
  status: number;
}

const post = (path: string, body: unknown) => (server: TestServer) => server.post(path, body);
const put = (path: string, body: unknown) => (server: TestServer) => server.put(path, body);
const patch = (path: string, body: unknown, contentType?: string) => (server: TestServer) =>
  server.patch(path, body, contentType === undefined ? {} : { contentType });
const remove = (path: string, body?: unknown) => (server: TestServer) => server.delete(path, body);

const quota = { metadata: { name: "q" }, spec: { hard: { "requests.cpu": "250m" } } };
const bound = { target: { kind: "Node", name: "node-1" }, metadata: { name: "p", annotations: { a: "b" } } };
const apply = "application/apply-patch+yaml";

const cases: Readonly<Record<string, Case>> = {
  "a create": { write: post(`${ns}/pods`, aPod("p")), status: 201 },
  "a create with warnings": { write: post(`${ns}/pods${strict}`, { ...aPod("p"), unknown: 1 }), status: 201 },
  "a Service with an address of its choice": {
    write: post(`${ns}/services`, aService("web", { clusterIP: "10.96.7.7" })),
    status: 201,
  },
  "an update that requests a node port": {
    before: [post(`${ns}/services`, aService("web", { clusterIP: "10.96.7.7" }))],
    write: patch(`${ns}/services/web`, { spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_123 }] } }),
    status: 200,
  },
  "a create as a dry run": { write: post(`${ns}/pods?dryRun=All`, aPod("p")), status: 201 },
  "a create within its quota": {
    before: [post(`${ns}/resourcequotas`, quota), post(`${ns}/pods`, aPod("one"))],
    write: post(`${ns}/pods`, aPod("two")),
    status: 201,
  },
  "a create beyond its quota": {
    before: [post(`${ns}/resourcequotas`, quota), post(`${ns}/pods`, aPod("one")), post(`${ns}/pods`, aPod("two"))],
    write: post(`${ns}/pods`, aPod("three")),
    status: 403,
  },
  "an update without a revision": {
    before: [post(`${ns}/configmaps`, aConfigMap({ a: "1" }))],
    write: put(`${ns}/configmaps/settings${strict}`, { ...aConfigMap({ a: "2" }), unknown: 1 }),
    status: 200,
  },
  "an update that raises the generation": {
    before: [post(`${ns}/replicationcontrollers`, { metadata: { name: "r" }, spec: { replicas: 1, ...template() } })],
    write: put(`${ns}/replicationcontrollers/r`, { metadata: { name: "r" }, spec: { replicas: 2, ...template() } }),
    status: 200,
  },
  "an update that creates": {
    write: put(`/apis/coordination.k8s.io/v1${ns.slice(7)}/leases/l`, { metadata: { name: "l" }, spec: {} }),
    status: 201,
  },
  "a patch": {
    before: [post(`${ns}/configmaps`, aConfigMap({ a: "1" }))],
    write: patch(`${ns}/configmaps/settings`, { data: { b: "2" } }),
    status: 200,
  },
  "a patch by JSON": {
    before: [post(`${ns}/pods`, aPod("p"))],
    write: patch(
      `${ns}/pods/p`,
      [{ op: "add", path: "/metadata/labels", value: { a: "b" } }],
      "application/json-patch+json",
    ),
    status: 200,
  },
  "a strategic patch": {
    before: [post(`${ns}/pods`, aPod("p"))],
    write: patch(
      `${ns}/pods/p`,
      { spec: { tolerations: [{ key: "k", operator: "Exists" }] } },
      "application/strategic-merge-patch+json",
    ),
    status: 200,
  },
  "an apply that creates": {
    write: patch(
      `${ns}/configmaps/settings?fieldManager=m`,
      { apiVersion: "v1", kind: "ConfigMap", ...aConfigMap({ a: "1" }) },
      apply,
    ),
    status: 201,
  },
  "an apply that updates": {
    before: [post(`${ns}/configmaps?fieldManager=m`, aConfigMap({ a: "1" }))],
    write: patch(
      `${ns}/configmaps/settings?fieldManager=m`,
      { apiVersion: "v1", kind: "ConfigMap", ...aConfigMap({ b: "1" }) },
      apply,
    ),
    status: 200,
  },
  "a scale": {
    before: [post(`${ns}/replicationcontrollers`, { metadata: { name: "r" }, spec: { replicas: 1, ...template() } })],
    write: patch(`${ns}/replicationcontrollers/r/scale`, { spec: { replicas: 3 } }),
    status: 200,
  },
  "a binding": {
    before: [post(`${ns}/pods`, aPod("p"))],
    write: post(`${ns}/pods/p/binding`, bound),
    status: 201,
  },
  "a restart": {
    before: [post(`${ns}/pods`, aPod("p", { nodeName: "node-1" }))],
    write: post(`${ns}/pods/p/restart`, undefined),
    status: 201,
  },
  "a delete that waits for its grace period": {
    before: [post(`${ns}/pods`, aPod("p", { nodeName: "node-1" }))],
    write: remove(`${ns}/pods/p`, { gracePeriodSeconds: 20 }),
    status: 200,
  },
  "a delete that waits for a finalizer": {
    before: [post(`${ns}/configmaps`, { ...aConfigMap({}), metadata: { name: "settings", finalizers: ["a/b"] } })],
    write: remove(`${ns}/configmaps/settings`, { propagationPolicy: "Foreground" }),
    status: 200,
  },
  "a delete": {
    before: [post(`${ns}/configmaps`, aConfigMap({}))],
    write: remove(`${ns}/configmaps/settings`),
    status: 200,
  },
  "an eviction": { before: [post(`${ns}/pods`, aPod("p"))], write: post(`${ns}/pods/p/eviction`, {}), status: 201 },
};

function template(): object {
  return { selector: { a: "b" }, template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } } };
}

/** The answer to the write, and the bytes that the store has afterwards. */
async function outcome({ before = [], write }: Case, options: { twice: boolean; async: boolean }) {
  const step = anAsyncStep({ concerns: () => true, validateAsync: async () => undefined });
  await using server = await TestServer.start({}, options.async ? { admissionSteps: [step] } : {});
  if (options.twice) server.store.decideTwice();
  for (const call of before) expect([200, 201]).toContain((await call(server)).status);
  const { status, text, headers } = await write(server);
  const stored = server.store.list("core/").entries.filter(({ key }) => key.includes("/default/"));
  const objects = stored.map(({ key, value }) => [key, withoutChance(Buffer.from(value).toString())]);
  return { status, text: withoutChance(text), warning: headers["warning"], objects };
}

/** UIDs and free addresses are random, and a second decision draws new ones. */
function withoutChance(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID");
}

describe.each([{ async: false }, { async: true }])("with asynchronous admission: $async", ({ async }) => {
  test.each(Object.entries(cases))("%s that is decided twice has the result of a single decision", async (_, each) => {
    const once = await outcome(each, { twice: false, async });
    expect(once.status).toBe(each.status);
    expect(await outcome(each, { twice: true, async })).toEqual(once);
  });
});

test("a Service whose address another server assigned while it waited gets another address", async () => {
  let theft: (() => Promise<unknown>) | undefined;
  const step = anAsyncStep({
    handles: { operations: ["create"] },
    validateAsync: async (request) => {
      const steal = isOfTest(request) ? theft : undefined;
      theft = undefined;
      const { clusterIP } = (request.object as { spec?: { clusterIP?: string } }).spec ?? {};
      if (steal !== undefined) await takeAddress(server, String(clusterIP));
      return undefined;
    },
  });
  await using server = await TestServer.start({}, { admissionSteps: [step] });
  theft = async () => undefined;
  const { status, json } = await server.post(`${ns}/services`, aService("web", {}));
  expect(status).toBe(201);
  const stolen = (await server.get(`${ns}/services/thief`)).json.spec.clusterIP;
  expect(stolen).toMatch(/^10\.96\./);
  expect(json.spec.clusterIP).not.toBe(stolen);
});

/** Writes a Service like another server, which does not have this server's reservations. */
async function takeAddress(server: TestServer, clusterIP: string): Promise<void> {
  const key = "core/services/default/thief";
  const spec = { type: "ClusterIP", clusterIP, clusterIPs: [clusterIP], ports: [{ port: 80, protocol: "TCP" }] };
  const object = { kind: "Service", apiVersion: "v1", metadata: { name: "thief", namespace: "default", uid: "t" } };
  const head = JSON.stringify(object).slice(0, -2);
  const index = { uid: "t", fields: { "spec.clusterIP": clusterIP } };
  await server.store.update(key, () => ({
    put: {
      head: Buffer.from(`${head},"resourceVersion":"`),
      tail: Buffer.from(`"},"spec":${JSON.stringify(spec)}}`),
    },
    index,
    result: undefined,
  }));
}
