import { getEventListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ContainerRuntime, RuntimeError, RuntimeErrorReason, RuntimeEvent } from "../container-runtime.ts";
import { eventService } from "../proto/definitions.ts";
import { aContainerConfig, aSandboxConfig } from "../simulated/configs.ts";
import { createFakeRuntime, type FakeRuntime } from "../simulated/runtime/fake-runtime.ts";
import { faultyRuntime } from "../simulated/runtime/faults.ts";
import { ScriptedFaults } from "../simulated/runtime/scripted-faults.ts";
import { envelopeOf } from "../wire/event.ts";
import { startCriProxy } from "../testing/server/cri-proxy.ts";
import { type CriServer, serveCri } from "../testing/server/serve-cri.ts";
import { createCriRuntime } from "./cri-runtime.ts";

const callTimeoutMs = 120_000;

describe("the adapter", () => {
  let directory: string;
  let socketPath: string;
  let faults: ScriptedFaults;
  let fake: FakeRuntime;
  let server: CriServer;
  /** The adapter's clock: its time limits pass only when a test advances it. */
  let clock: VirtualClock;
  let runtime: ContainerRuntime;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "kintsugi-cri-"));
    socketPath = join(directory, "cri.sock");
    clock = new VirtualClock();
    faults = new ScriptedFaults(clock);
    fake = createFakeRuntime({ clock, random: new SeededRandom(1) });
    server = await serveCri(faultyRuntime(clock, fake, { faults }), { socketPath });
    runtime = createCriRuntime({ clock, random: systemRandom }, { endpoint: server.endpoint });
  });
  afterEach(async () => {
    runtime.close();
    faults.clear();
    await server.close();
    await rm(directory, { recursive: true });
  });

  /** Waits in real time, since the awaited answer crosses a socket. */
  async function until<T>(ask: () => T | undefined): Promise<T> {
    for (let turn = 0; turn < 2000; turn++) {
      const answer = ask();
      if (answer !== undefined) return answer;
      await systemClock.sleep(1);
    }
    throw new Error("nothing came within 2 s");
  }

  test("any number of concurrent calls add one listener to a signal, and each call ends when it aborts", async () => {
    const stop = new AbortController();
    faults.hang("listContainers", { times: Infinity });
    const calls = Array.from({ length: 20 }, () => runtime.listContainers({}, stop.signal));
    const outcomes = Promise.allSettled(calls);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "RuntimeError", reason: "cancelled" } });
  });

  test.each<[string, number, (r: ContainerRuntime) => Promise<unknown>]>([
    ["listContainers", callTimeoutMs, (r) => r.listContainers()],
    ["runPodSandbox", 2 * callTimeoutMs, (r) => r.runPodSandbox(aSandboxConfig("web"))],
    ["stopContainer", callTimeoutMs + 30_000, (r) => r.stopContainer("c", 30)],
    ["execSync", callTimeoutMs + 7000, (r) => r.execSync("c", ["true"], 7)],
  ])("%s without a response ends after %i ms", async (name, limitMs, call) => {
    faults.hang(name as "listContainers");
    let error: RuntimeError | undefined;
    call(runtime).catch((cause: RuntimeError) => (error = cause));
    await systemClock.sleep(20);
    await clock.advance(limitMs - 1);
    await systemClock.sleep(20);
    expect(error).toBeUndefined();
    await clock.advance(1);
    expect(await until(() => error)).toMatchObject({ reason: "deadlineExceeded" });
  });

  test.each<[string, (r: ContainerRuntime, signal: AbortSignal) => Promise<unknown>]>([
    ["pullImage", (r, signal) => r.pullImage("busybox", {}, signal)],
    ["execSync", (r, signal) => r.execSync("c", ["sleep", "1000"], 0, signal)],
  ])("%s without its own time limit waits only for the signal", async (name, call) => {
    faults.hang(name as "pullImage");
    const controller = new AbortController();
    let error: RuntimeError | undefined;
    call(runtime, controller.signal).catch((cause: RuntimeError) => (error = cause));
    await systemClock.sleep(20);
    await clock.advance(24 * 3_600_000);
    await systemClock.sleep(20);
    expect(error).toBeUndefined();
    controller.abort();
    expect(await until(() => error)).toMatchObject({ reason: "cancelled" });
  });

  test.each<RuntimeErrorReason>([
    ...(["notFound", "alreadyExists", "invalid", "unavailable", "deadlineExceeded"] as const),
    ...(["cancelled", "unimplemented", "failed"] as const),
  ])("the reason %s and the runtime's words are returned", async (reason) => {
    faults.refuse("startContainer", { reason, message: "the runtime's words" });
    await expect(runtime.startContainer("c")).rejects.toMatchObject({ reason, message: "the runtime's words" });
  });

  test("a lost response is an error, although the work is done", async () => {
    faults.loseAnswer("runPodSandbox", { times: 1 });
    await expect(runtime.runPodSandbox(aSandboxConfig("web"))).rejects.toMatchObject({ reason: "unavailable" });
    expect(await runtime.listPodSandboxes()).toHaveLength(1);
  });

  test("a container that ends during its stop or removal is not an error", async () => {
    const message = 'failed to kill container "c": ttrpc: closed: unknown';
    faults.refuse("stopContainer", { reason: "failed", message, times: 2 });
    faults.refuse("removePodSandbox", { reason: "failed", message, times: 1 });
    await runtime.stopContainer("c", 1);
    await runtime.removePodSandbox("s");
    faults.refuse("stopContainer", { reason: "failed", message, times: 3 });
    await expect(runtime.stopContainer("c", 1)).rejects.toThrow(/ttrpc: closed/);
    faults.refuse("removeContainer", { reason: "failed", message: "device busy", times: 1 });
    await expect(runtime.removeContainer("c")).rejects.toThrow(/device busy/);
  });

  test("reconnects to a runtime that returns", async () => {
    await runtime.version();
    await server.close();
    await expect(runtime.version()).rejects.toMatchObject({ reason: "unavailable" });
    server = await serveCri(fake, { socketPath });
    const deadlineMs = systemClock.monotonicMs() + 5000;
    let found = false;
    while (!found && systemClock.monotonicMs() < deadlineMs) {
      found = await runtime.version().then(
        () => true,
        () => false,
      );
      await systemClock.sleep(10);
    }
    expect(found).toBe(true);
  });

  test("accepts only a unix socket", () => {
    const deps = { clock, random: systemRandom };
    expect(() => createCriRuntime(deps, { endpoint: "/run/containerd/containerd.sock" })).toThrow(/unix:\/\//);
  });

  describe("its event stream", () => {
    /** Markers are repeated in real time. */
    let adapter: ContainerRuntime;
    beforeEach(() => {
      adapter = createCriRuntime({ clock: systemClock, random: systemRandom }, { endpoint: server.endpoint });
    });
    afterEach(() => adapter.close());

    test("misses no event after the event connected", async () => {
      const seen: RuntimeEvent[] = [];
      for await (const event of adapter.events(AbortSignal.timeout(5000))) {
        seen.push(event);
        if (event.type === "connected") await fake.runPodSandbox(aSandboxConfig("web"));
        if (event.type === "started") break;
      }
      expect(seen.map(({ type }) => type)).toEqual(["connected", "created", "started"]);
    });

    test("ends when the runtime disappears, and is rejected while it is unreachable", async () => {
      const seen: string[] = [];
      for await (const event of adapter.events(new AbortController().signal)) {
        seen.push(event.type);
        fake.setAvailable(false);
      }
      expect(seen).toEqual(["connected"]);
      await server.close();
      await expect(adapter.events(new AbortController().signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        reason: "unavailable",
      });
    });

    test("that is aborted before it begins reports nothing", async () => {
      for await (const event of adapter.events(AbortSignal.abort())) expect.unreachable(event.type);
      expect.assertions(0);
    });
  });
});

test("a runtime without an event service rejects the stream", async () => {
  await using socket = await emptyServer({});
  const runtime = createCriRuntime({ clock: systemClock, random: systemRandom }, { endpoint: socket.endpoint });
  const first = runtime.events(new AbortController().signal)[Symbol.asyncIterator]().next();
  await expect(first).rejects.toMatchObject({ reason: "unimplemented" });
  runtime.close();
});

test("a bus that never delivers a published event rejects the stream after the call's time limit", async () => {
  await using socket = await emptyServer({
    Publish: (_call: unknown, callback: (error: null, value: object) => void) => callback(null, {}),
    Subscribe: () => {},
  });
  const deps = { clock: systemClock, random: systemRandom };
  const runtime = createCriRuntime(deps, { endpoint: socket.endpoint, callTimeoutMs: 100 });
  const first = runtime.events(new AbortController().signal)[Symbol.asyncIterator]().next();
  await expect(first).rejects.toMatchObject({ reason: "deadlineExceeded" });
  runtime.close();
});

test("the event connected is first, although the bus has delivered other events before its marker", async () => {
  let stream: { write(envelope: object): void } | undefined;
  const before = envelopeOf({ type: "started", containerId: "before", atMs: 1 });
  const after = envelopeOf({ type: "started", containerId: "after", atMs: 2 });
  await using socket = await emptyServer({
    Subscribe: (call: NonNullable<typeof stream>) => (stream = call).write(before),
    Publish: ({ request }: { request: object }, callback: (error: null, value: object) => void) => {
      // The marker is delivered twice, as when it was repeated before the first marker arrived.
      for (const envelope of [request, request, after]) stream?.write(envelope);
      callback(null, {});
    },
  });
  const runtime = createCriRuntime({ clock: systemClock, random: systemRandom }, { endpoint: socket.endpoint });
  const seen: RuntimeEvent[] = [];
  for await (const event of runtime.events(AbortSignal.timeout(5000))) {
    seen.push(event);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual([{ type: "connected" }, { type: "started", containerId: "after", atMs: 2 }]);
  runtime.close();
});

test("a proxy passes on a runtime's responses and its errors", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-cri-"));
  const deps = { clock: systemClock, random: systemRandom };
  const faults = new ScriptedFaults(systemClock);
  const fake = createFakeRuntime({ clock: systemClock, random: new SeededRandom(1) });
  await using server = await serveCri(fake, { socketPath: join(directory, "upstream.sock") });
  const upstreamEndpoint = server.endpoint;
  await using proxy = await startCriProxy(deps, { upstreamEndpoint, socketPath: join(directory, "p.sock"), faults });
  const runtime = createCriRuntime(deps, { endpoint: proxy.endpoint });
  const sandboxConfig = aSandboxConfig("web");
  const sandboxId = await runtime.runPodSandbox(sandboxConfig);
  const request = { sandboxId, sandboxConfig, config: aContainerConfig("main", "true") };
  faults.refuse("pullImage", { times: 1, reason: "failed", message: "registry on fire" });
  await expect(runtime.pullImage("busybox")).rejects.toThrow("registry on fire");
  faults.loseAnswer("createContainer", { times: 1 });
  await expect(runtime.createContainer(request)).rejects.toMatchObject({ reason: "unavailable" });
  // The second attempt finds the name that the first attempt created, by which a kubelet detects
  // that it succeeded.
  await expect(runtime.createContainer(request)).rejects.toThrow(/is reserved for/);
  await expect(runtime.containerStatus("none")).rejects.toMatchObject({ reason: "notFound" });
  expect(fake.callsOf("createContainer")).toHaveLength(2);
  runtime.close();
  await rm(directory, { recursive: true });
});

/** A gRPC server without CRI, and with only the given part of containerd's events. */
async function emptyServer(implementation: Record<string, never> | object) {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-cri-"));
  const endpoint = `unix://${join(directory, "empty.sock")}`;
  const server = new Server();
  if (Object.keys(implementation).length > 0) server.addService(eventService, implementation as never);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(endpoint, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
      await rm(directory, { recursive: true });
    },
  };
}
