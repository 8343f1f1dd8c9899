import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { BusDenied } from "./bus.ts";
import { BusChangeStream } from "./bus-change-stream.ts";
import { createChangePublisher, objectBytesMax, type PublishedChange } from "./change-publisher.ts";
import { MemoryBus } from "./simulated/memory-bus.ts";

function openStream() {
  const server = new MemoryBus();
  const relay = server.connect("api-server");
  const publisher = createChangePublisher({ bus: relay }, { cluster: "lab", historyId: "h1" });
  const stream = new BusChangeStream({ bus: server.connect("scheduler"), log: silentLogger, cluster: () => "lab" });
  const heard: unknown[] = [];
  const handlers = {
    onChange: (change: object) => heard.push(change),
    onMark: (mark: object) => heard.push({ mark }),
    onInterrupted: (reason: string) => heard.push(reason),
  };
  const settle = () => new VirtualClock().settle();
  return { server, relay, publisher, stream, heard, handlers, settle, signal: new AbortController().signal };
}

const object = Buffer.from(`{"kind":"Pod"}`);

function aChange(overrides: Partial<PublishedChange> = {}): PublishedChange {
  const names = { group: "", resource: "pods", namespace: "default", name: "web-0", nodeName: "node-1" };
  return {
    ...names,
    type: "put",
    revision: 7,
    previousOfResource: 6,
    previousOfNode: 3,
    object,
    isSecret: false,
    ...overrides,
  };
}

const seen = { historyId: "h1", revision: 7, type: "put", namespace: "default", name: "web-0", object };

test("a resource filter receives every change of its resource and its marks, with the resource's previous revision", async () => {
  const { publisher, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  publisher.publish(aChange());
  publisher.publish(aChange({ resource: "nodes", namespace: "", name: "node-1" }));
  publisher.publishMarks([
    { group: "", resource: "pods", revision: 7 },
    { group: "", resource: "nodes", revision: 8 },
  ]);
  await settle();
  expect(heard).toEqual([{ ...seen, previous: 6 }, { mark: { historyId: "h1", revision: 7 } }]);
});

test("a node filter receives only its own node, with the node's previous revision", async () => {
  const { publisher, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods", nodeName: "node-1" }, handlers, signal);
  publisher.publish(aChange());
  publisher.publish(aChange({ nodeName: "node-10", revision: 8 }));
  publisher.publish(aChange({ nodeName: "", revision: 9 }));
  publisher.publishMarks([{ group: "", resource: "pods", revision: 9 }]);
  await settle();
  expect(heard).toEqual([{ ...seen, previous: 3 }]);
});

test("secret and large objects are sent without their bytes", async () => {
  const { publisher, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "secrets" }, handlers, signal);
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  publisher.publish(aChange({ resource: "secrets", name: "token", isSecret: true }));
  publisher.publish(aChange({ object: new Uint8Array(objectBytesMax + 1) }));
  publisher.publish(aChange({ object: new Uint8Array(objectBytesMax) }));
  await settle();
  expect(heard.map((change) => (change as { object?: Uint8Array }).object?.byteLength)).toEqual([
    undefined,
    undefined,
    objectBytesMax,
  ]);
});

test.each(["lab.watch.core.pods._.default.web-0", "lab.watch.marks"])(
  "an unreadable message counts as an interruption: %s",
  async (subject) => {
    const { relay, stream, heard, handlers, settle, signal } = openStream();
    await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
    relay.publish(subject, Buffer.from("nonsense"));
    await settle();
    expect(heard).toEqual(["a message could not be read"]);
  },
);

test("marks reach every follower of a resource, including followers that join or remain after others have left", async () => {
  const { publisher, stream, heard, handlers, settle } = openStream();
  const follow = async (resource: string) => {
    const stop = new AbortController();
    const onMark = ({ revision }: { revision: number }) => heard.push(`${resource} ${revision}`);
    await stream.subscribe({ group: "", resource }, { ...handlers, onMark }, stop.signal);
    return stop;
  };
  const mark = async (revision: number) => {
    publisher.publishMarks(["pods", "nodes"].map((resource) => ({ group: "", resource, revision })));
    await settle();
  };
  const [pods, nodes] = [await follow("pods"), await follow("nodes")];
  await mark(1);
  pods.abort();
  await mark(2);
  nodes.abort();
  await mark(3);
  await follow("pods");
  await mark(4);
  expect(heard).toEqual(["pods 1", "nodes 1", "nodes 2", "pods 4"]);
});

test("unchanged marks are reported again, and every change in them is reported", async () => {
  const { publisher, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  const mark = async (...marks: [resource: string, revision: number][]) => {
    publisher.publishMarks(marks.map(([resource, revision]) => ({ group: "", resource, revision })));
    await settle();
    return heard.splice(0).map((each) => (each as { mark: { revision: number } }).mark.revision);
  };
  expect(await mark(["pods", 7], ["nodes", 5])).toEqual([7]);
  expect(await mark(["pods", 7], ["nodes", 5])).toEqual([7]);
  expect(await mark(["pods", 8], ["nodes", 5])).toEqual([8]);
  expect(await mark(["nodes", 5], ["pods", 8])).toEqual([8]);
  expect(await mark(["nodes", 8])).toEqual([]);
});

test("a follower that may not receive marks follows nothing, and its next attempt subscribes again", async () => {
  const { server, relay, heard, handlers, settle, signal } = openStream();
  const publisher = createChangePublisher({ bus: relay }, { cluster: "lab", historyId: "h1" });
  let mayHear = false;
  const bus = server.connect("restricted", (filter) => mayHear || filter !== "lab.watch.marks");
  const stream = new BusChangeStream({ bus, log: silentLogger, cluster: () => "lab" });
  const pods = { group: "", resource: "pods" };
  await expect(stream.subscribe(pods, handlers, signal)).rejects.toThrow(BusDenied);
  mayHear = true;
  await stream.subscribe(pods, handlers, signal);
  publisher.publishMarks([{ ...pods, revision: 5 }]);
  await settle();
  expect(heard).toEqual([{ mark: { historyId: "h1", revision: 5 } }]);
});

test("a lost connection is reported", async () => {
  const { server, stream, heard, handlers, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  server.stop("server stopped");
  server.start();
  expect(heard).toEqual(["server stopped", "reconnected"]);
});
