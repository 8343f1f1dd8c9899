import { expect, test } from "vitest";
import { TestServer } from "../../testing/test-server.ts";

const inDefault = (resource: string) => `/api/v1/namespaces/default/${resource}`;
const spec = { containers: [{ name: "c", image: "i" }] };
const aPod = (name: string, more: object = {}) => ({ metadata: { name }, spec: { ...spec, ...more } });
const aQuota = (hard: object, more: object = {}) => ({ metadata: { name: "q" }, spec: { hard, ...more } });

async function refusal(answer: Promise<{ status: number; json: { message: string } }>): Promise<string | number> {
  const { status, json } = await answer;
  return status < 300 ? status : `${status} ${json.message}`;
}

test("of 64 concurrent creates exactly as many succeed as the quota allows", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ pods: "10" }));
  const creates = Array.from({ length: 64 }, (_, i) => server.post(inDefault("pods"), aPod(`p${i}`)));
  const answers = await Promise.all(creates);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  const refused = answers.filter(({ status }) => status === 403);
  expect(refused).toHaveLength(54);
  expect(refused[0]?.json).toMatchObject({
    reason: "Forbidden",
    message: 'pods "p10" is forbidden: exceeded quota: q, requested: pods=1, used: pods=10, limited: pods=10',
  });
});

test("a quota and pods of one batch are counted in their order", async () => {
  await using server = await TestServer.start();
  const all = await Promise.all([
    refusal(server.post(inDefault("pods"), aPod("before"))),
    refusal(server.post(inDefault("resourcequotas"), aQuota({ pods: "1" }))),
    refusal(server.post(inDefault("pods"), aPod("after"))),
    refusal(server.post(inDefault("resourcequotas"), { ...aQuota({ pods: "0" }), metadata: { name: "r" } })),
  ]);
  expect(all).toEqual([
    201,
    201,
    '403 pods "after" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    201,
  ]);
});

test("the usage of a deleted or finished pod is available again, even within one batch", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ pods: "1" }));
  expect(await refusal(server.post(inDefault("pods"), aPod("a")))).toBe(201);
  const [, again] = await Promise.all([
    server.delete(`${inDefault("pods/a")}?gracePeriodSeconds=0`),
    refusal(server.post(inDefault("pods"), aPod("b"))),
  ]);
  expect(again).toBe(201);
  await server.patch(inDefault("pods/b/status"), { status: { phase: "Succeeded" } });
  expect(await refusal(server.post(inDefault("pods"), aPod("c")))).toBe(201);
  expect(await refusal(server.post(inDefault("pods"), aPod("d")))).toContain("exceeded quota: q");
});

test("neither a dry run nor a refused create counts as usage", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ pods: "2" }));
  expect(await refusal(server.post(inDefault("pods"), aPod("a")))).toBe(201);
  for (let i = 0; i < 3; i++) {
    expect(await refusal(server.post(`${inDefault("pods")}?dryRun=All`, aPod("b")))).toBe(201);
    expect(await refusal(server.post(inDefault("pods"), aPod("a")))).toContain("409");
  }
  expect(await refusal(server.post(inDefault("pods"), aPod("b")))).toBe(201);
  expect(await refusal(server.post(`${inDefault("pods")}?dryRun=All`, aPod("c")))).toContain("403");
});

test("a pod that outlives its grace period no longer counts as usage, but its object still counts", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ pods: "1", "count/pods": "2" }));
  const node = { nodeName: "n", terminationGracePeriodSeconds: 30 };
  await server.post("/api/v1/nodes", { metadata: { name: "n" } });
  expect(await refusal(server.post(inDefault("pods"), aPod("a", node)))).toBe(201);
  await server.delete(inDefault("pods/a"));
  expect(await refusal(server.post(inDefault("pods"), aPod("b")))).toContain("used: pods=1");
  await server.clock.advance(61_000);
  expect(await refusal(server.post(inDefault("pods"), aPod("b")))).toBe(201);
  await server.patch(inDefault("pods/b/status"), { status: { phase: "Failed" } });
  expect(await refusal(server.post(inDefault("pods"), aPod("c")))).toContain(
    "requested: count/pods=1, used: count/pods=2",
  );
});

test("limits follow the spec of the quota, whatever its status states", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ configmaps: "1" }));
  await server.patch(inDefault("resourcequotas/q/status"), {
    status: { hard: { configmaps: "9" }, used: { configmaps: "7" } },
  });
  const create = (name: string) => refusal(server.post(inDefault("configmaps"), { metadata: { name } }));
  expect(await create("a")).toBe(201);
  expect(await create("b")).toContain("used: configmaps=1, limited: configmaps=1");
  await server.patch(inDefault("resourcequotas/q"), { spec: { hard: { configmaps: "2", "count/secrets": "0" } } });
  expect(await create("b")).toBe(201);
  expect(await refusal(server.post(inDefault("secrets"), { metadata: { name: "s" } }))).toContain("count/secrets=1");
  await server.delete(inDefault("resourcequotas/q"));
  expect(await create("c")).toBe(201);
});

test("a Service may add node ports only as far as the quota allows", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ "services.nodeports": "1" }));
  await server.post(inDefault("services"), { metadata: { name: "s" }, spec: { ports: [{ name: "a", port: 1 }] } });
  const patch = (body: object) => refusal(server.patch(inDefault("services/s"), { spec: body }));
  expect(await patch({ type: "NodePort" })).toBe(200);
  expect(
    await patch({
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
      ],
    }),
  ).toContain("exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1");
});

test("namespaces without a quota and kinds that are never counted have no limit", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ pods: "0", "count/events": "0" }));
  expect(await refusal(server.post("/api/v1/namespaces/kube-public/pods", aPod("a")))).toBe(201);
  const event = { metadata: { name: "e" }, involvedObject: { namespace: "default" } };
  expect(await refusal(server.post(inDefault("events"), event))).toBe(201);
});

test("an update that creates is charged like a create", async () => {
  await using server = await TestServer.start();
  await server.post(inDefault("resourcequotas"), aQuota({ configmaps: "0" }));
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  const contentType = "application/apply-patch+yaml";
  const applied = server.patch(`${inDefault("configmaps/a")}?fieldManager=m`, body, { contentType });
  expect(await refusal(applied)).toContain("exceeded quota: q, requested: configmaps=1");
});
