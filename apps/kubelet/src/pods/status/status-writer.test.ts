import { type Pod, pods, type PodStatus, silentLogger } from "@kintsugi/api";
import { createInProcessClient, type RequestHandler } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { afterEach, expect, test } from "vitest";
import { type BoundPod, boundPod } from "../../model/bound-pod.ts";
import { aPod, doing } from "../../testing/builders.ts";
import { StatusWriter } from "./status-writer.ts";
import { withNode } from "../../testing/test-node.ts";

const answerMs = 1000;
/** Makes a writer that never stops fail a test instead of blocking it. */
const requestsMax = 50;

const ready: PodStatus = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const notReady: PodStatus = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] };

let ended = new AbortController();
afterEach(() => {
  ended.abort();
  ended = new AbortController();
});

/**
 * A writer whose requests arrive at the same time and whose answers take a second, and other
 * clients that write without delay.
 */
async function startWriter() {
  const [clock, random] = [new VirtualClock(), new SeededRandom(1)];
  const api = new MemoryApi({ clock, random }, [pods]);
  const server = { isAway: false };
  const slow: RequestHandler = {
    handle: async (request) => {
      api.isDown = server.isAway || api.requests.length >= requestsMax;
      const answer = await api.handle(request);
      await clock.sleep(answerMs, request.signal);
      return answer;
    },
  };
  const identity = { name: "system:node:node-1", groups: ["system:nodes"] };
  const client = createInProcessClient({ handler: slow, clock, random }, { identity });
  const others = createInProcessClient({ handler: api, clock, random }, { identity });
  const created = boundPod(await others.create(pods, aPod()));
  let copy: BoundPod | undefined = created;
  const writer = new StatusWriter({
    client,
    clock,
    log: silentLogger,
    findPod: () => copy,
    killedBecause: () => undefined,
  });
  void writer.run(ended.signal);
  const stored = () => others.get(pods, { namespace: "default", name: "p" });
  return {
    writer,
    client,
    clock,
    api,
    server,
    pod: created,
    stored,
    writeAsOther: async (status: PodStatus) => others.update(pods, { ...(await stored()), status }),
    /** Makes the pod the informer's copy. */
    hear: (pod: Pod) => writer.noticeStored(created.metadata.uid, (copy = boundPod(pod))),
    hearOfDeletion: () => (copy = undefined),
  };
}

const second = 1000;

test("another client's later write that arrives before the response is overwritten", async () => {
  const { writer, clock, pod, stored, writeAsOther, hear } = await startWriter();
  writer.set(pod, ready);
  await clock.advance(answerMs / 2);
  expect((await stored()).status).toMatchObject(ready);
  hear(await writeAsOther(notReady));
  await clock.advance(2 * answerMs);
  expect((await stored()).status).toMatchObject(ready);
});

test("a cache that is older than the object read after a conflict does not cause further writes", async () => {
  const { writer, clock, api, pod, stored, writeAsOther } = await startWriter();
  await writeAsOther(ready);
  const revision = (await stored()).metadata.resourceVersion;
  const before = api.requests.length;
  writer.set(pod, ready);
  await clock.advance(20 * answerMs);
  expect(api.requests.slice(before).map((request) => request.split(" ")[0])).toEqual(["PUT", "GET"]);
  expect((await stored()).metadata.resourceVersion).toBe(revision);
});

test("a status of which an older server drops a field is written once, and again after another client's write", async () => {
  const { writer, clock, api, pod, stored, writeAsOther, hear } = await startWriter();
  api.unknownStatusFields.add("hostIPs");
  const before = api.requests.length;
  writer.set(pod, { ...ready, hostIPs: [{ ip: "192.168.0.11" }] });
  await clock.advance(2 * answerMs);
  hear(await stored());
  await clock.advance(20 * answerMs);
  const puts = () => api.requests.slice(before).filter((request) => request.startsWith("PUT")).length;
  expect(puts()).toBe(1);
  hear(await writeAsOther(notReady));
  await clock.advance(20 * answerMs);
  hear(await stored());
  await clock.advance(20 * answerMs);
  // The write of the other client, and the writer's.
  expect(puts()).toBe(3);
  expect((await stored()).status).toMatchObject(ready);
});

test("a failed status write is retried immediately when any call of the node succeeds again", async () => {
  const { writer, client, clock, api, server, pod } = await startWriter();
  const phase = () => (api.log.find("pods", "default", "p") as Pod).status?.phase;
  server.isAway = true;
  writer.set(pod, ready);
  // The writer would retry after 33 s if it only used its own back-off.
  await clock.advance(24_000);
  server.isAway = false;
  await clock.advance(answerMs);
  expect(phase()).not.toBe("Running");
  const heard = client.find(pods, { namespace: "default", name: "other" });
  await clock.advance(2 * answerMs);
  expect(await heard).toBeUndefined();
  expect(phase()).toBe("Running");
});

test("statuses of a pod whose object is removed are not sent", async () => {
  const { writer, clock, api, pod, hearOfDeletion } = await startWriter();
  const before = api.requests.length;
  hearOfDeletion();
  writer.set(pod, ready);
  await clock.advance(answerMs);
  writer.set(pod, notReady);
  await clock.advance(20 * answerMs);
  expect(api.requests.slice(before)).toEqual([]);
});

test("removing the object of a pod that is not being deleted is a programming error", async () => {
  const { writer, clock, api, pod } = await startWriter();
  writer.set(pod, ready);
  expect(() => writer.release(pod)).toThrow("pod default/p was being deleted before its object is removed");
  await clock.advance(10 * answerMs);
  expect(api.requests.filter((request) => request.startsWith("DELETE"))).toEqual([]);
});

test("a change of the spec is written for its generation, and a deletion has no write of its own", async () => {
  const { writer, clock, api, pod, stored } = await startWriter();
  const at = (observedGeneration: number): PodStatus => ({
    ...ready,
    observedGeneration,
    conditions: (ready.conditions ?? []).map((condition) => ({ ...condition, observedGeneration })),
  });
  const writes = () => api.requests.length;
  writer.set(pod, at(1));
  await clock.advance(2 * answerMs);
  writer.set(pod, at(2));
  await clock.advance(2 * answerMs);
  expect((await stored()).status).toMatchObject(at(2));
  const before = writes();
  const deleting = boundPod({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
  writer.set(deleting, at(3));
  await clock.advance(2 * answerMs);
  expect(writes()).toBe(before);
  const ended: PodStatus = { ...at(3), phase: "Succeeded" };
  writer.set(deleting, ended);
  await clock.advance(2 * answerMs);
  expect((await stored()).status).toMatchObject(ended);
});

test("a status that another client has overwritten is written again", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run"));
    await node.clock.advance(2 * second);
    const pod = await node.pod("p");
    const conditions = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === "Ready" ? { ...condition, status: "False" as const } : condition,
    );
    await node.client.update(pods, { ...pod, status: { ...pod.status, conditions } });
    await node.clock.advance(second);
    expect((await node.pod("p")).status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  }));
