import { SteeredClock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer, type WatchedEvent } from "../testing/test-server.ts";
import { pendingBytesMax } from "../watch/frame-queue.ts";

const told = (events: WatchedEvent[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ""}`.trim());

describe("a watch", () => {
  test("from a revision receives later changes, past and future", async () => {
    await using server = await TestServer.start();
    const { json: list } = await server.get(podsPath);
    await server.post(podsPath, aPod("a"));
    const watch = await server.watch(`${podsPath}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
    await server.patch(`${podsPath}/a`, { metadata: { labels: { x: "1" } } });
    await server.delete(`${podsPath}/a`);
    const events = await watch.take(3);
    expect(told(events)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  });

  test.each(["", "&resourceVersion=0"])("without a revision begins with the present objects (%s)", async (query) => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("a"));
    const watch = await server.watch(`${podsPath}?watch=true${query}`);
    await server.post(podsPath, aPod("b"));
    expect(told(await watch.take(2))).toEqual(["ADDED a", "ADDED b"]);
  });

  test("with initial events ends them with a marked bookmark", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("a"));
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await server.watch(`${podsPath}?${query}`);
    const [added, bookmark] = await watch.take(2);
    expect(added?.type).toBe("ADDED");
    expect(bookmark).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "Pod", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
    expect(bookmark?.object.metadata.resourceVersion).toBe(String(server.store.revision()));
  });

  test.each([
    "sendInitialEvents=true",
    "resourceVersionMatch=Exact",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  ])("with %s alone is rejected", async (query) => {
    await using server = await TestServer.start();
    expect((await server.get(`${podsPath}?watch=true&${query}`)).status).toBe(422);
  });

  test("reports an object that begins to match the selector as added, and an object that no longer matches as deleted in its last matching state", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("a", { labels: { tier: "back" } }));
    const watch = await server.watch(`${podsPath}?watch=true&labelSelector=tier%3Dfront`);
    await server.patch(`${podsPath}/a`, { metadata: { labels: { tier: "front" } } });
    await server.patch(`${podsPath}/a`, { metadata: { labels: { other: "1" } } });
    const { json: left } = await server.patch(`${podsPath}/a`, { metadata: { labels: { tier: "back" } } });
    const events = await watch.take(3);
    expect(told(events)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(events[2]?.object.metadata).toMatchObject({
      labels: { tier: "front" },
      resourceVersion: left.metadata.resourceVersion,
    });
  });

  test("on a node's pods receives a pod once it is bound", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("a"));
    const watch = await server.watch(`/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dn1`);
    for (const [pod, node] of [
      ["b", "n2"],
      ["a", "n1"],
    ] as const) {
      if (pod === "b") await server.post(podsPath, aPod("b"));
      await server.post(`${podsPath}/${pod}/binding`, {
        metadata: { name: pod },
        target: { kind: "Node", name: node },
      });
    }
    await server.delete(`${podsPath}/a`, { gracePeriodSeconds: 0 });
    expect(told(await watch.take(2))).toEqual(["ADDED a", "DELETED a"]);
  });

  test("of other resources does not receive events of pods", async () => {
    await using server = await TestServer.start();
    const watch = await server.watch(`/api/v1/namespaces/default/configmaps?watch=true`);
    await server.post(podsPath, aPod("a"));
    await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } });
    expect(told(await watch.take(1))).toEqual(["ADDED c"]);
  });

  test("from a revision that is no longer stored reports that it is expired", async () => {
    await using server = await TestServer.start();
    for (let i = 0; i < 1500; i++) await server.post(podsPath, aPod(`p${i}`));
    await server.clock.advance(60 * 60_000);
    await server.post(podsPath, aPod("last"));
    const watch = await server.watch(`${podsPath}?watch=true&resourceVersion=1`);
    expect(await watch.next()).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", reason: "Expired", code: 410 },
    });
    expect(await watch.next()).toBeUndefined();
  });

  test("from a future revision is rejected", async () => {
    await using server = await TestServer.start();
    const answer = await server.get(`${podsPath}?watch=true&resourceVersion=1000000`);
    expect(answer).toMatchObject({ status: 504, json: { details: { retryAfterSeconds: 1 } } });
    expect(answer.headers["retry-after"]).toBe("1");
  });

  test("ends after its timeout, with a bookmark of its position", async () => {
    await using server = await TestServer.start();
    const watch = await server.watch(`${podsPath}?watch=true&timeoutSeconds=5&allowWatchBookmarks=true`);
    await server.clock.advance(5_000);
    expect(await watch.next()).toMatchObject({ type: "BOOKMARK" });
    expect(await watch.next()).toBeUndefined();
    expect(server.clock.pendingTimers()).toBeLessThan(10);
  });

  test("does not end when a test's clock skips hours", async () => {
    const calendar = new SteeredClock({ real: new VirtualClock() }, { pace: 0 });
    await using server = await TestServer.start({}, { calendar });
    const watch = await server.watch(`${podsPath}?watch=true&timeoutSeconds=600&allowWatchBookmarks=true`);
    const settle = () => Promise.resolve(true);
    const { passedOverMs } = await calendar.advance(3 * 3_600_000, { settle, isQuiet: () => true });
    expect(passedOverMs).toBeGreaterThan(2 * 3_600_000);
    expect(await watch.next()).toMatchObject({ type: "BOOKMARK" });
    await server.post(podsPath, aPod("a"));
    expect(await watch.next()).toMatchObject({ type: "ADDED" });
  });

  test("that is idle receives a bookmark every minute", async () => {
    await using server = await TestServer.start();
    const watch = await server.watch(`${podsPath}?watch=true&allowWatchBookmarks=true`);
    await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } });
    await server.clock.advance(60_000);
    const bookmark = await watch.next();
    expect(bookmark?.type).toBe("BOOKMARK");
    expect(bookmark?.object.metadata.resourceVersion).toBe(String(server.store.revision()));
  });

  test("whose reader does not read is closed instead of being buffered without limit", async () => {
    await using server = await TestServer.start();
    const watch = await server.watch("/api/v1/configmaps?watch=true");
    const data = { big: "x".repeat(1_000_000) };
    for (let i = 0; i * 1_000_000 < pendingBytesMax + 1_000_000; i++) {
      await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: `c${i}` }, data });
    }
    expect(await watch.next()).toBeUndefined();
  });

  test("ends when the client disconnects and when the server stops", async () => {
    const server = await TestServer.start();
    const left = await server.watch(`${podsPath}?watch=true`);
    left.stop();
    expect(await left.next()).toBeUndefined();
    const open = await server.watch(`${podsPath}?watch=true`);
    await server[Symbol.asyncDispose]();
    expect(await open.next()).toBeUndefined();
  });

  test("in the form of Tables reports each change as a row", async () => {
    await using server = await TestServer.start();
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const watch = await server.watch(`${podsPath}?watch=true`, { headers: { accept } });
    await server.post(podsPath, aPod("a"));
    const event = await watch.next();
    expect(event).toMatchObject({
      type: "ADDED",
      object: { kind: "Table", rows: [{ object: { metadata: { name: "a" } } }] },
    });
    expect(event?.object.rows[0].cells[0]).toBe("a");
  });
});
