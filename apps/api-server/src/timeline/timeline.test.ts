import { describe, expect, test } from "vitest";
import {
  type Lease,
  type Node,
  planLeaseEntries,
  planNodeEntries,
  planPodEntries,
  type Pod,
  type TimelineEntry,
} from "@kintsugi/api";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const told = (entries: readonly TimelineEntry[]) =>
  entries.map(({ what, detail }) => (detail === "" ? what : `${what} ${detail}`));
const at = { revision: 7, timeMs: 1000 };

function aNode(status: string, reason: string, taints: string[] = []): Node {
  return {
    metadata: { name: "n1" },
    spec: { taints: taints.map((key) => ({ key, effect: "NoExecute" })) },
    status: { conditions: [{ type: "Ready", status: status as "True", reason }] },
  };
}

function aRunningPod(state: object, extra: { lastState?: object; restartCount?: number } = {}): Pod {
  const status = { name: "main", image: "x", imageID: "", ready: true, restartCount: 0, state, ...extra };
  return {
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [], nodeName: "n1" },
    status: { phase: "Running", containerStatuses: [status] },
  };
}

describe("of a node", () => {
  test("changes of conditions and taints are recorded, and heartbeats are not", () => {
    const before = aNode("True", "KubeletReady");
    expect(told(planNodeEntries({ ...at, before, after: aNode("True", "KubeletReady") }))).toEqual([]);
    const after = aNode("Unknown", "NodeStatusUnknown", ["node.kubernetes.io/unreachable"]);
    expect(told(planNodeEntries({ ...at, before, after }))).toEqual([
      "condition Ready=Unknown (NodeStatusUnknown)",
      "taint-added node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect(told(planNodeEntries({ ...at, before: after, after: before }))).toEqual([
      "condition Ready=True (KubeletReady)",
      "taint-removed node.kubernetes.io/unreachable:NoExecute",
    ]);
  });
});

describe("of a Lease", () => {
  const heldBy = (holderIdentity?: string): Lease => ({
    metadata: { name: "kube-scheduler", namespace: "kube-system" },
    spec: holderIdentity === undefined ? {} : { holderIdentity },
  });

  test("a change of leader names both machines, and renewals are not recorded", () => {
    const [first, second] = [heldBy("server-1_a"), heldBy("server-2_b")];
    expect(told(planLeaseEntries({ ...at, before: undefined, after: first }))).toEqual(["leads server-1"]);
    expect(told(planLeaseEntries({ ...at, before: first, after: first }))).toEqual([]);
    expect(told(planLeaseEntries({ ...at, before: first, after: second }))).toEqual(["leads server-2, after server-1"]);
    expect(told(planLeaseEntries({ ...at, before: second, after: heldBy("") }))).toEqual(["released server-2"]);
    expect(told(planLeaseEntries({ ...at, before: heldBy(), after: undefined }))).toEqual([]);
  });
});

describe("of a pod", () => {
  const running = { running: { startedAt: "2026-01-01T00:00:05Z" } };
  const ended = {
    terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: "2026-01-01T00:00:09Z", containerID: "c1" },
  };

  test("a container's end is recorded once, at the node's time, with reason and exit code", () => {
    const entries = planPodEntries({ ...at, before: aRunningPod(running), after: aRunningPod(ended) });
    expect(told(entries)).toEqual(["container-terminated main: OOMKilled, exit code 137"]);
    expect(entries[0]?.timeMs).toBe(1_767_225_609_000);
    const waiting = aRunningPod({ waiting: { reason: "CrashLoopBackOff" } }, { lastState: ended });
    expect(told(planPodEntries({ ...at, before: aRunningPod(ended), after: waiting }))).toEqual([
      "container-waiting main: CrashLoopBackOff",
    ]);
  });

  test("a restart without an observed end is recorded as an end and a start", () => {
    const again = { running: { startedAt: "2026-01-01T00:00:10Z" } };
    const after = aRunningPod(again, { lastState: ended, restartCount: 1 });
    expect(told(planPodEntries({ ...at, before: aRunningPod(running), after }))).toEqual([
      "container-terminated main: OOMKilled, exit code 137",
      "container-running main: restart 1",
    ]);
  });
});

test("the timeline of a pod is served in order and can be filtered", async () => {
  await using server = await TestServer.start();
  const path = "/apis/kintsugi.dev/v1alpha1/timeline";
  await server.post(podsPath, aPod("web"));
  await server.post(podsPath, aPod("other"));
  await server.clock.advance(5_000);
  await server.post(`${podsPath}/web/binding`, { metadata: { name: "web" }, target: { name: "n1" } });
  await server.patch(`${podsPath}/web/status`, {
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  await server.delete(`${podsPath}/web`);
  await server.delete(`${podsPath}/web`, { gracePeriodSeconds: 0 });
  const { json } = await server.get(`${path}?pod=web&namespace=default`);
  expect(told(json.items)).toEqual([
    "created",
    "phase Pending",
    "bound n1",
    "condition PodScheduled=True",
    "phase Running",
    "condition Ready=True",
    "terminating grace period 30 s",
    "deleted",
  ]);
  expect(told((await server.get(`${path}?node=n1&since=2026-01-01T00:00:05Z`)).json.items)[0]).toBe("bound n1");
  expect((await server.get(`${path}?since=yesterday`)).status).toBe(400);
  expect((await server.get(path, { user: { name: "alice", groups: [] } })).status).toBe(403);
});

describe("a watch of the timeline", () => {
  const path = "/apis/kintsugi.dev/v1alpha1/timeline";

  test("begins with past steps and continues with matching steps until its timeout", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    const watch = await server.watch(`${path}?watch=true&pod=web&timeoutSeconds=30`);
    const next = async () => {
      const event = await watch.next();
      return event === undefined ? undefined : told([event.object as unknown as TimelineEntry])[0];
    };
    expect([await next(), await next()]).toEqual(["created", "phase Pending"]);
    await server.post(podsPath, aPod("other"));
    await server.post(`${podsPath}/web/binding`, { metadata: { name: "web" }, target: { name: "n1" } });
    const bound = next();
    await server.clock.advance(1_000);
    expect(await bound).toBe("bound n1");
    expect(await next()).toBe("condition PodScheduled=True");
    const end = next();
    await server.clock.advance(30_000);
    expect(await end).toBeUndefined();
  });

  test("continues after a revision", async () => {
    await using server = await TestServer.start();
    const { json: created } = await server.post(podsPath, aPod("web"));
    await server.post(`${podsPath}/web/binding`, { metadata: { name: "web" }, target: { name: "n1" } });
    const watch = await server.watch(`${path}?watch=true&resourceVersion=${created.metadata.resourceVersion}`);
    expect((await watch.next())?.object).toMatchObject({ what: "bound", detail: "n1" });
  });

  test("needs the watch permission and a valid query", async () => {
    await using server = await TestServer.start();
    expect((await server.get(`${path}?watch=true`, { user: { name: "alice", groups: [] } })).status).toBe(403);
    expect((await server.get(`${path}?watch=true&timeoutSeconds=soon`)).status).toBe(400);
    expect((await server.get(`${path}?watch=true&resourceVersion=x`)).status).toBe(400);
  });
});
