import { type Event, type Pod, pods, events } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { createInProcessClient } from "../in-process/in-process-client.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { createEventRecorder, type RecordedEvent } from "./event-recorder.ts";

type Deps = Parameters<typeof createEventRecorder>[0];

describe("an event recorder", () => {
  test("writes an event as upstream's components do", async () => {
    await using world = startWorld();
    world.record("Started", "Started container web");
    await world.clock.settle();
    expect(world.events()).toMatchObject([
      {
        metadata: { namespace: "default", name: expect.stringMatching(/^web-0\.[0-9a-f]{16}$/) as string },
        involvedObject: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "web-0", uid: "uid-web-0" },
        type: "Normal",
        reason: "Started",
        message: "Started container web",
        count: 1,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        source: { component: "kubelet", host: "node-1" },
        reportingComponent: "kubelet",
        reportingInstance: "node-1",
      },
    ]);
  });

  test("counts the same event instead of writing it again", async () => {
    await using world = startWorld();
    for (let i = 0; i < 3; i++) {
      world.record("BackOff", "Back-off restarting failed container");
      await world.clock.advance(10_000);
    }
    expect(world.events()).toMatchObject([
      { count: 3, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:00:20Z" },
    ]);
  });

  test("reports when an event recurred, not when it could be written", async () => {
    const clock = new VirtualClock();
    const written: unknown[] = [];
    const client = {
      create: async () => {},
      patch: async (...[, , patch]: Parameters<Deps["client"]["patch"]>) => {
        await clock.sleep(60_000);
        written.push(patch.body);
      },
    } as unknown as Deps["client"];
    const recorder = createEventRecorder({ clock, client, random: new SeededRandom(1) }, { component: "kubelet" });
    const stop = new AbortController();
    const ended = recorder.run(stop.signal);
    for (let i = 0; i < 3; i++) {
      recorder.record(aPod("web-0"), aNormal("BackOff", "Back-off restarting failed container"));
      await clock.advance(10_000);
    }
    await clock.advance(120_000);
    expect(written).toMatchObject([
      { count: 2, lastTimestamp: "2026-01-01T00:00:10Z" },
      { count: 3, lastTimestamp: "2026-01-01T00:00:20Z" },
    ]);
    stop.abort();
    await ended;
  });

  test("keeps events apart that differ in message, reason or object", async () => {
    await using world = startWorld();
    world.record("Pulled", "image a");
    world.record("Pulled", "image b");
    world.record("Created", "image a");
    world.record("Pulled", "image a", "web-1");
    await world.clock.settle();
    expect(world.events()).toHaveLength(4);
  });

  test("combines similar events from the tenth on", async () => {
    await using world = startWorld();
    for (let i = 1; i <= 12; i++) world.record("Unhealthy", `probe failed: ${i}`);
    await world.clock.settle();
    const combined = world.events().filter((event) => event.message?.startsWith("(combined"));
    expect(world.events()).toHaveLength(10);
    expect(combined).toMatchObject([{ message: "(combined from similar events): probe failed: 12", count: 3 }]);
  });

  test("does not combine events that are more than ten minutes apart", async () => {
    await using world = startWorld();
    for (let i = 1; i <= 12; i++) {
      world.record("Unhealthy", `probe failed: ${i}`);
      await world.clock.advance(601_000);
    }
    expect(world.events()).toHaveLength(12);
  });

  test("lets 25 events of an object through at the same time, and then one every five minutes", async () => {
    await using world = startWorld();
    for (let i = 0; i < 40; i++) world.record("BackOff", "again");
    await world.clock.settle();
    expect(world.events()).toMatchObject([{ count: 25 }]);
    await world.clock.advance(300_000);
    world.record("BackOff", "again");
    world.record("BackOff", "again");
    await world.clock.settle();
    expect(world.writes()).toBe(26);
  });

  test("creates an event again that has expired in the meantime", async () => {
    await using world = startWorld();
    world.record("BackOff", "again");
    await world.clock.settle();
    world.expire();
    world.record("BackOff", "again");
    await world.clock.settle();
    expect(world.events()).toMatchObject([{ count: 2, message: "again" }]);
  });

  test("retries while the API is unreachable", async () => {
    await using world = startWorld();
    world.api.isDown = true;
    world.record("Killing", "Stopping container web");
    await world.clock.advance(45_000);
    world.api.isDown = false;
    await world.clock.advance(15_000);
    expect(world.events()).toHaveLength(1);
  });

  test("does not retry forever: an event that cannot be sent for two minutes is lost", async () => {
    await using world = startWorld();
    world.api.isDown = true;
    world.record("Killing", "Stopping container web");
    await world.clock.advance(300_000);
    world.api.isDown = false;
    await world.clock.advance(60_000);
    expect(world.events()).toHaveLength(0);
  });

  test("drops events beyond a thousand waiting events, and never blocks", async () => {
    await using world = startWorld();
    world.api.isDown = true;
    for (let i = 0; i < 1500; i++) world.record("Killing", "Stopping", `web-${i}`);
    world.api.isDown = false;
    await world.clock.advance(60_000);
    expect(world.events()).toHaveLength(1000);
  });

  test("sends queued events when it is stopped", async () => {
    const world = startWorld();
    world.record("Killing", "Stopping");
    await world[Symbol.asyncDispose]();
    expect(world.events()).toHaveLength(1);
  });

  test("ends a second after it is stopped, whether or not the server answers", async () => {
    const clock = new VirtualClock();
    const asked: string[] = [];
    const silence = (signal: AbortSignal | undefined) =>
      new Promise<never>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
    const client: Deps["client"] = {
      create: (...[, object, options]) => (asked.push(object.metadata.name ?? ""), silence(options?.signal)),
      patch: (...[, , , options]) => silence(options?.signal),
    };
    const recorder = createEventRecorder({ clock, client, random: new SeededRandom(1) }, { component: "kubelet" });
    const stop = new AbortController();
    const ended = recorder.run(stop.signal).then(() => clock.monotonicMs());
    for (let i = 0; i < 20; i++) recorder.record(aPod(`web-${i}`), aNormal("Killing", "Stopping"));
    await clock.advance(5000);
    stop.abort();
    await clock.advance(60_000);
    expect(await ended).toBe(6000);
    expect(asked).toHaveLength(8);
  });
});

function startWorld() {
  const deps = { clock: new VirtualClock(), random: new SeededRandom(1) };
  const api = new MemoryApi(deps, [events, pods]);
  const client = createInProcessClient({ ...deps, handler: api }, { identity: { name: "kubelet", groups: [] } });
  const recorder = createEventRecorder({ ...deps, client }, { component: "kubelet", host: "node-1" });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  return {
    api,
    clock: deps.clock,
    record: (reason: string, message: string, pod = "web-0") => recorder.record(aPod(pod), aNormal(reason, message)),
    events: () => api.log.list("events") as Event[],
    writes: () => api.requests.filter((request) => /^(POST|PATCH)/.test(request)).length,
    expire: () => {
      for (const event of api.log.list("events")) api.log.delete("events", event);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

function aNormal(reason: string, message: string): RecordedEvent {
  return { type: "Normal", reason, message };
}

function aPod(name: string): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", uid: `uid-${name}` } };
}
