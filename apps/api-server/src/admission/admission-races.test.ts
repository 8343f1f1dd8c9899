import { expect, test } from "vitest";
import { aGate, anAsyncStep, type StepGate } from "../testing/async-steps.ts";
import { TestServer } from "../testing/test-server.ts";
import { mapsPath, prepareWrites } from "../testing/write-calls.ts";
import type { AdmissionRequest } from "./admission.ts";

const herePath = `${mapsPath}/here`;
const modified =
  'Operation cannot be fulfilled on configmaps "here": the object has been modified; please apply your changes to the latest version and try again';

/**
 * A server on which writes of config maps wait until the test lets them continue, except those of
 * `other`.
 */
async function startWaiting(options = {}) {
  const waiting: { gate: StepGate; request: AdmissionRequest; signal: AbortSignal }[] = [];
  const state = { on: false };
  const step = anAsyncStep({
    timeoutMs: 120_000,
    mutateAsync: async (request, signal) => {
      if (!state.on || request.user.name === other.user.name) return undefined;
      const gate = aGate();
      waiting.push({ gate, request, signal });
      return gate.opened;
    },
  });
  const server = await TestServer.start(options, { admissionSteps: [step] });
  await prepareWrites(server);
  state.on = true;
  let round = 0;
  const changeByOther = async () => {
    const answer = await server.patch(herePath, { data: { round: String(round++) } }, other);
    return answer.json.metadata.resourceVersion as string;
  };
  const close = () => server[Symbol.asyncDispose]();
  return { server, waiting, changeByOther, settle: () => server.clock.advance(1), [Symbol.asyncDispose]: close };
}

const other = { user: { name: "other", groups: ["system:masters"] } };

test("a write whose object changes in the meantime is admitted again with the changed object", async () => {
  await using cluster = await startWaiting();
  const { server, waiting, changeByOther, settle } = cluster;
  const patched = server.patch(herePath, { data: { mine: "yes" } });
  await settle();
  const revision = await changeByOther();
  waiting[0]?.gate.open();
  await settle();
  expect(waiting).toHaveLength(2);
  expect(waiting[1]?.request.before?.metadata.resourceVersion).toBe(revision);
  expect(waiting[1]?.request.object).toMatchObject({ data: { a: "1", round: "0", mine: "yes" } });
  waiting[1]?.gate.open();
  expect((await patched).json.data).toEqual({ a: "1", round: "0", mine: "yes" });
});

test.each([
  ["a PUT", (server: TestServer) => server.put(herePath, { metadata: { name: "here" }, data: { mine: "yes" } })],
  ["a patch", (server: TestServer) => server.patch(herePath, { data: { mine: "yes" } })],
  ["a delete", (server: TestServer) => server.delete(herePath)],
])("%s of an object that changes on every try is a conflict after five tries", async (_, send) => {
  await using cluster = await startWaiting();
  const { server, waiting, changeByOther, settle } = cluster;
  const answer = send(server);
  for (let tries = 0; tries < 5; tries++) {
    await settle();
    await changeByOther();
    waiting[tries]?.gate.open();
  }
  const { status, json } = await answer;
  expect([status, json.reason, json.message]).toEqual([409, "Conflict", modified]);
  expect(waiting).toHaveLength(5);
});

test("a write that names a revision never replaces another revision", async () => {
  await using cluster = await startWaiting();
  const { server, waiting, changeByOther, settle } = cluster;
  const { metadata } = (await server.get(herePath)).json;
  const bodies = [
    { metadata: { name: "here", resourceVersion: metadata.resourceVersion }, data: {} },
    { metadata: { name: "here", uid: metadata.uid }, data: {} },
  ];
  const [byRevision, byUid] = bodies.map((body) => server.put(herePath, body));
  await settle();
  await server.delete(herePath, undefined, other);
  await server.post(mapsPath, { metadata: { name: "here" } }, other);
  await changeByOther();
  for (const { gate } of waiting) gate.open();
  expect((await byRevision)?.json.message).toBe(modified);
  expect((await byUid)?.json.message).toContain("Precondition failed: UID in precondition");
  expect(waiting).toHaveLength(2);
});

test("a create that waits fails if an earlier create of the same name succeeds or its namespace ends", async () => {
  await using cluster = await startWaiting();
  const { server, waiting, settle } = cluster;
  await server.post("/api/v1/namespaces", { metadata: { name: "old" } }, other);
  const created = server.post(mapsPath, { metadata: { name: "twin" } });
  const late = server.post("/api/v1/namespaces/old/configmaps", { metadata: { name: "late" } });
  await settle();
  await server.post(mapsPath, { metadata: { name: "twin" } }, other);
  await server.delete("/api/v1/namespaces/old", undefined, other);
  for (const { gate } of waiting) gate.open();
  expect((await created).json.reason).toBe("AlreadyExists");
  expect((await late).json.details.causes[0].reason).toBe("NamespaceTerminating");
  const refused = await server.post("/api/v1/namespaces/none/configmaps", { metadata: { name: "x" } });
  expect(refused.status).toBe(404);
  expect(waiting).toHaveLength(2);
});

test("synchronous steps check the write again with the store's state when its batch is formed", async () => {
  await using cluster = await startWaiting();
  const { server, waiting, settle } = cluster;
  const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  const created = server.post(classes, { metadata: { name: "mine" }, value: 1, globalDefault: true });
  await settle();
  await server.post(classes, { metadata: { name: "first" }, value: 2, globalDefault: true }, other);
  waiting[0]?.gate.open();
  expect((await created).json.message).toContain("PriorityClass first is already marked as default");
});

test("a client that disconnects ends the steps that wait for it, and nothing is written", async () => {
  await using cluster = await startWaiting();
  const { server, waiting, settle } = cluster;
  const client = new AbortController();
  const patched = server.patch(herePath, { data: { mine: "yes" } }, { signal: client.signal });
  await settle();
  const before = server.store.revision();
  client.abort();
  await settle();
  expect(waiting[0]?.signal.aborted).toBe(true);
  expect((await patched).status).toBe(504);
  waiting[0]?.gate.open();
  await settle();
  expect(server.store.revision()).toBe(before);
});

test("a request that times out ends its steps, and nothing is written afterwards", async () => {
  await using cluster = await startWaiting({ requestTimeoutMs: 30_000 });
  const { server, waiting } = cluster;
  const created = server.post(mapsPath, { metadata: { name: "new" } });
  await server.clock.advance(29_999);
  expect(waiting[0]?.signal.aborted).toBe(false);
  await server.clock.advance(1);
  expect(waiting[0]?.signal.aborted).toBe(true);
  expect(await created).toMatchObject({ status: 504, json: { reason: "Timeout" } });
  waiting[0]?.gate.open();
  await server.clock.advance(1);
  expect((await server.get(`${mapsPath}/new`)).status).toBe(404);
});

test("the number of waiting requests is limited to the writes that may be in flight, including leases and connections", async () => {
  await using cluster = await startWaiting({ writesInFlightMax: 2 });
  const { server, waiting, settle } = cluster;
  const lease = (name: string) =>
    server.post("/apis/coordination.k8s.io/v1/namespaces/default/leases", { metadata: { name }, spec: {} });
  const first = [lease("a"), lease("b")];
  await settle();
  expect(waiting).toHaveLength(2);
  const upgrade = { upgrade: "websocket" };
  const refused = [await lease("c"), await server.get("/api/v1/namespaces/default/pods/web/exec", upgrade)];
  expect(refused.map(({ status }) => status)).toEqual([429, 429]);
  expect(refused[0]?.headers["retry-after"]).toBe("1");
  for (const { gate } of waiting) gate.open();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201]);
  const again = lease("d");
  await settle();
  waiting[2]?.gate.open();
  expect((await again).status).toBe(201);
});

test("the server creates its required objects even while an admission step hangs", async () => {
  const hanging = anAsyncStep({ validateAsync: () => new Promise(() => {}) });
  await using server = await TestServer.start({ writesInFlightMax: 1 }, { admissionSteps: [hanging] });
  expect((await server.get("/api/v1/namespaces/default")).status).toBe(200);
  expect((await server.get("/apis/rbac.authorization.k8s.io/v1/clusterroles")).json.items.length).toBeGreaterThan(10);
});
