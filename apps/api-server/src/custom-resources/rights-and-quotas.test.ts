import { expect, onTestFinished, test } from "vitest";
import type { TestServer } from "../testing/test-server.ts";
import { startWithCronTabs } from "./testing/cron-tabs.ts";

const cronTabs = "/apis/stable.example.com/v1/namespaces/default/crontabs";
const count = "count/crontabs.stable.example.com";

const aCronTab = (name: string) => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name },
  spec: { image: "i" },
});

async function start(): Promise<TestServer> {
  const server = await startWithCronTabs();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function limit(server: TestServer, hard: string): Promise<void> {
  const quota = { metadata: { name: "q" }, spec: { hard: { [count]: hard } } };
  expect((await server.post("/api/v1/namespaces/default/resourcequotas", quota)).status).toBe(201);
}

test("a quota counts objects of a custom kind exactly, even with many concurrent creates", async () => {
  const server = await start();
  await server.post(cronTabs, aCronTab("before"));
  await limit(server, "4");
  const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => server.post(cronTabs, aCronTab(`c${n}`))));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(answers.find(({ status }) => status === 403)?.json.message).toContain(
    `exceeded quota: q, requested: ${count}=1, used: ${count}=4, limited: ${count}=4`,
  );
});

test("a deleted object of a custom kind no longer counts as usage, and a refused object never counts", async () => {
  const server = await start();
  await limit(server, "1");
  expect((await server.post(cronTabs, { ...aCronTab("bad"), spec: { image: "i", replicas: 99 } })).status).toBe(422);
  expect((await server.post(`${cronTabs}?dryRun=All`, aCronTab("dry"))).status).toBe(201);
  expect((await server.post(cronTabs, aCronTab("a"))).status).toBe(201);
  expect((await server.post(cronTabs, aCronTab("b"))).status).toBe(403);
  await server.delete(`${cronTabs}/a`);
  expect((await server.post(cronTabs, aCronTab("b"))).status).toBe(201);
});

test("a role may name a custom kind and its verbs, subresources and objects", async () => {
  const server = await start();
  await server.post(cronTabs, aCronTab("mine"));
  await server.post(cronTabs, aCronTab("other"));
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const apiGroups = ["stable.example.com"];
  await server.post(`${rbac}/roles`, {
    metadata: { name: "r" },
    rules: [
      { apiGroups, resources: ["crontabs"], verbs: ["list"] },
      { apiGroups, resources: ["crontabs", "crontabs/status"], resourceNames: ["mine"], verbs: ["get", "patch"] },
    ],
  });
  await server.post(`${rbac}/rolebindings`, {
    metadata: { name: "r" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  });
  const as = { user: { name: "jane", groups: [] } };
  const statuses = await Promise.all([
    server.get(cronTabs, as),
    server.get(`${cronTabs}/mine`, as),
    server.patch(`${cronTabs}/mine/status`, { status: { replicas: 1 } }, as),
    server.get(`${cronTabs}/other`, as),
    server.delete(`${cronTabs}/mine`, undefined, as),
    server.get(`${cronTabs}/mine/scale`, as),
    server.post(cronTabs, aCronTab("new"), as),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403, 403, 403]);
});
