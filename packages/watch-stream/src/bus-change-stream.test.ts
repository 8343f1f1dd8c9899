import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/testing";
import { expect, test } from "vitest";
import { BusChangeStream } from "./bus-change-stream.ts";
import { createChangePublisher, objectBytesMax, type PublishedChange } from "./change-publisher.ts";
import { MemoryBus } from "./testing/memory-bus.ts";

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
  return { ...names, type: "put", revision: 7, previousOfResource: 6, previousOfNode: 3, object, ...overrides };
}

const seen = { historyId: "h1", revision: 7, type: "put", namespace: "default", name: "web-0", object };

test("a resource filter hears every change of it and its marks, with the resource's previous revision", async () => {
  const { publisher, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  publisher.publish(aChange());
  publisher.publish(aChange({ resource: "nodes", namespace: "", name: "node-1" }));
  publisher.publishMark({ group: "", resource: "pods", revision: 7 });
  publisher.publishMark({ group: "", resource: "nodes", revision: 8 });
  await settle();
  expect(heard).toEqual([{ ...seen, previous: 6 }, { mark: { historyId: "h1", revision: 7 } }]);
});

test("a node filter hears only its own node, with the node's previous revision", async () => {
  const { publisher, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods", nodeName: "node-1" }, handlers, signal);
  publisher.publish(aChange());
  publisher.publish(aChange({ nodeName: "node-10", revision: 8 }));
  publisher.publish(aChange({ nodeName: "", revision: 9 }));
  publisher.publishMark({ group: "", resource: "pods", revision: 9 });
  await settle();
  expect(heard).toEqual([{ ...seen, previous: 3 }]);
});

test("Secrets and large objects travel without their bytes", async () => {
  const { publisher, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "secrets" }, handlers, signal);
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  publisher.publish(aChange({ resource: "secrets", name: "token" }));
  publisher.publish(aChange({ object: new Uint8Array(objectBytesMax + 1) }));
  publisher.publish(aChange({ object: new Uint8Array(objectBytesMax) }));
  await settle();
  expect(heard.map((change) => (change as { object?: Uint8Array }).object?.byteLength)).toEqual([
    undefined,
    undefined,
    objectBytesMax,
  ]);
});

test("an unreadable message counts as an interruption", async () => {
  const { relay, stream, heard, handlers, settle, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  relay.publish("lab.watch.core.pods.mark", Buffer.from("nonsense"));
  await settle();
  expect(heard).toEqual(["a message could not be read"]);
});

test("a lost connection is told", async () => {
  const { server, stream, heard, handlers, signal } = openStream();
  await stream.subscribe({ group: "", resource: "pods" }, handlers, signal);
  server.stop("server stopped");
  server.start();
  expect(heard).toEqual(["server stopped", "reconnected"]);
});
