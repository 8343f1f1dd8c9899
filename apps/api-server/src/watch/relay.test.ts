import { expect, test } from "vitest";
import type { ChangePublisher, PublishedChange, PublishedMark } from "@kintsugi/watch-stream";
import { kindFromData, widgets } from "../resources/testing/kind-from-data.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

class RecordingPublisher implements ChangePublisher {
  changes: PublishedChange[] = [];
  marks: PublishedMark[] = [];
  broken = false;

  publish(change: PublishedChange): void {
    if (this.broken) throw new Error("no connection");
    this.changes.push(change);
  }

  publishMarks(marks: readonly PublishedMark[]): void {
    if (this.broken) throw new Error("no connection");
    this.marks.push(...marks);
  }

  async flush(): Promise<void> {}
}

const bind = (server: TestServer, name: string) =>
  server.post(`${podsPath}/${name}/binding`, { metadata: { name }, target: { kind: "Node", name: "n1" } });

test("every change is published in revision order, with the previous revision of its resource and of its node", async () => {
  const publisher = new RecordingPublisher();
  await using server = await TestServer.start({}, { changePublisher: publisher });
  publisher.changes = [];
  for (const name of ["a", "b"]) await server.post(podsPath, aPod(name));
  await bind(server, "a");
  await bind(server, "b");
  await server.patch(`${podsPath}/a/status`, { status: { phase: "Running" } });
  const { changes } = publisher;
  const first = changes[0]?.revision ?? 0;
  expect(changes.map(({ revision }) => revision - first)).toEqual([0, 1, 2, 3, 4]);
  expect(changes.map(({ nodeName }) => nodeName)).toEqual(["", "", "n1", "n1", "n1"]);
  expect(changes.map(({ previousOfResource }) => previousOfResource - first).slice(1)).toEqual([0, 1, 2, 3]);
  expect(changes.slice(2).map(({ previousOfNode }) => previousOfNode && previousOfNode - first)).toEqual([0, 2, 3]);
  expect(JSON.parse(Buffer.from(changes[4]?.object ?? []).toString("utf8")).status.phase).toBe("Running");
});

test("a change that a broken bus missed shows as a gap in the next change and in the next mark", async () => {
  const publisher = new RecordingPublisher();
  await using server = await TestServer.start({}, { changePublisher: publisher });
  await server.post(podsPath, aPod("a"));
  const last = publisher.changes.at(-1)?.revision ?? 0;
  publisher.broken = true;
  await server.post(podsPath, aPod("b"));
  publisher.broken = false;
  publisher.marks = [];
  await server.clock.advance(5_000);
  const mark = publisher.marks.find(({ resource }) => resource === "pods");
  expect(mark?.revision).toBe(last + 1);
  await server.post(podsPath, aPod("c"));
  expect(publisher.changes.at(-1)?.previousOfResource).toBe(last + 1);
});

test("marks are published within half a second of the bus's return", async () => {
  const publisher = new RecordingPublisher();
  publisher.broken = true;
  await using server = await TestServer.start({}, { changePublisher: publisher });
  await server.clock.advance(20_000);
  publisher.broken = false;
  await server.clock.advance(500);
  expect(publisher.marks.some(({ resource }) => resource === "pods")).toBe(true);
  publisher.marks = [];
  await server.clock.advance(4_500);
  expect(publisher.marks).toEqual([]);
});

test("a resource without changes is also marked, because followers treat silence as a bus that is down", async () => {
  const publisher = new RecordingPublisher();
  await using server = await TestServer.start({}, { changePublisher: publisher });
  publisher.marks = [];
  await server.clock.advance(5_000);
  expect(publisher.marks.find(({ resource }) => resource === "poddisruptionbudgets")?.revision).toBe(0);
});

test("a Secret is published as a Secret", async () => {
  const publisher = new RecordingPublisher();
  await using server = await TestServer.start({}, { changePublisher: publisher });
  publisher.changes = [];
  await server.post("/api/v1/namespaces/default/secrets", { metadata: { name: "s" } });
  await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } });
  expect(publisher.changes.map(({ name, isSecret }) => [name, isSecret])).toEqual([
    ["s", true],
    ["c", false],
  ]);
});

test("changes and marks of a kind are published from its addition until its removal", async () => {
  const publisher = new RecordingPublisher();
  await using server = await TestServer.start({}, { changePublisher: publisher });
  const marked = async () => {
    publisher.marks = [];
    await server.clock.advance(5_000);
    return publisher.marks.some(({ group, resource }) => group === "example.com" && resource === "widgets");
  };
  const before = await marked();
  server.server.kinds.add(kindFromData(widgets));
  await server.post("/apis/example.com/v1/namespaces/default/widgets", {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a" },
  });
  expect(publisher.changes.at(-1)).toMatchObject({
    group: "example.com",
    resource: "widgets",
    name: "a",
    nodeName: "",
  });
  const during = await marked();
  server.server.kinds.remove(widgets);
  expect([before, during, await marked()]).toEqual([false, true, false]);
});
