import { type Pod, pods } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { names, startWorld } from "../testing/informer-world.ts";
import type { Informer } from "./informer.ts";

describe("an informer", () => {
  test("lists once, and then receives changes from the stream alone", async () => {
    await using world = startWorld();
    world.put("a", "n1");
    const informer = await world.follow();
    world.put("b", "n1");
    world.remove("a");
    world.bus.deliverAll();
    await world.clock.settle();
    expect(names(informer)).toEqual(["b"]);
    expect(world.api.requests).toEqual(["GET /api/v1/pods?limit=500"]);
  });

  test("of metadata keeps nothing else, whether an object arrives by list, watch or stream", async () => {
    await using world = startWorld();
    world.put("listed", "n1");
    const informer = await world.follow({ metadataOnly: true });
    world.put("told", "n1");
    world.bus.deliverAll();
    await world.clock.settle();
    world.bus.isDown = true;
    await world.clock.advance(15_000);
    world.put("watched", "n1");
    await world.clock.settle();
    expect(names(informer)).toEqual(["listed", "told", "watched"]);
    for (const object of informer.list()) {
      expect(Object.keys(object).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(object.kind).toBe("Pod");
    }
  });

  test("detects a lost message at the next message, and reads only the missing changes", async () => {
    await using world = startWorld();
    const informer = await world.follow();
    world.put("lost", "n1");
    world.bus.drop();
    world.put("next", "n1");
    world.bus.deliverAll();
    await world.clock.settle();
    expect(names(informer)).toEqual(["lost", "next"]);
    expect(world.api.requests.filter((request) => request.includes("watch=true"))).toHaveLength(1);
    expect(world.api.requests.filter((request) => !request.includes("watch=true"))).toHaveLength(1);
  });

  test("detects by the relay's mark that the last message was lost", async () => {
    await using world = startWorld();
    const informer = await world.follow();
    world.put("last", "n1");
    world.bus.drop();
    world.bus.mark();
    world.bus.deliverAll();
    await world.clock.settle();
    expect(names(informer)).toEqual(["last"]);
  });

  test("detects that the bus delivers nothing, not even marks, and reads over HTTP", async () => {
    await using world = startWorld();
    const informer = await world.follow();
    await marksFor(world, 30_000);
    expect(world.api.requests).toHaveLength(1);
    world.put("unheard", "n1");
    world.bus.drop();
    await world.clock.advance(12_000);
    expect(names(informer)).toEqual(["unheard"]);
    world.put("later", "n1");
    world.bus.drop();
    await world.clock.advance(15_000);
    expect(names(informer)).toEqual(["later", "unheard"]);
  });

  test("reads again soon after any other request of its client has reached the server", async () => {
    await using world = startWorld();
    world.bus.isDown = true;
    const informers: Informer<Pod>[] = [];
    for (let i = 0; i < 6; i++) informers.push(await world.follow());
    await world.perform({ do: "api-down" }, []);
    await world.clock.advance(300_000);
    world.put("unseen", "n1");
    world.api.isDown = false;
    const whoSaw = () => informers.filter((informer) => names(informer).includes("unseen")).length;
    for (let i = 0; i < 200 && whoSaw() === 0; i++) await world.clock.advance(100);
    expect(whoSaw()).toBeGreaterThan(0);
    await world.clock.advance(1_100);
    expect(whoSaw()).toBe(informers.length);
  });

  test("follows a bus that fell silent again only once the bus has delivered something", async () => {
    await using world = startWorld();
    const informer = await world.follow();
    await world.clock.advance(12_000);
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      await world.clock.advance(20_000);
      world.put(name, "n1");
      world.bus.drop();
      await world.clock.settle();
      expect(names(informer)).toContain(name);
    }
    expect(world.api.requests.filter((request) => request.includes("watch=true"))).toHaveLength(1);
    await marksFor(world, 30_000);
    world.put("g", "n1");
    await world.clock.settle();
    expect(names(informer)).not.toContain("g");
    world.bus.deliverAll();
    await world.clock.settle();
    expect(names(informer)).toContain("g");
  });

  test("of one node detects a lost message by the revision in the response to a Lease renewal", async () => {
    await using world = startWorld();
    const informer = await world.follow({ nodeName: "n1" });
    world.put("elsewhere", "n2");
    world.put("mine", "n1");
    world.bus.drop();
    informer.noticeRevision(world.api.log.revision);
    await world.clock.advance(300);
    expect(names(informer)).toEqual(["mine"]);
  });

  test("does not read if the stream delivers the missing change within moments", async () => {
    await using world = startWorld();
    const informer = await world.follow({ nodeName: "n1" });
    world.put("mine", "n1");
    informer.noticeRevision(world.api.log.revision);
    world.bus.deliverAll();
    await world.clock.advance(1000);
    expect(names(informer)).toEqual(["mine"]);
    expect(world.api.requests).toHaveLength(1);
  });

  test("reports a pod that is bound to its node as an addition", async () => {
    await using world = startWorld();
    world.put("web");
    const informer = await world.follow({ nodeName: "n1" });
    const seen: string[] = [];
    informer.onChange((change) => seen.push(`${change.type} ${change.object.metadata.name}`));
    world.put("web", "n1");
    world.bus.deliverAll();
    await world.clock.settle();
    expect(seen).toEqual(["added web"]);
  });

  test("uses HTTP watches while the bus is down, and returns to the bus afterwards", async () => {
    await using world = startWorld();
    world.bus.isDown = true;
    const informer = await world.follow();
    world.put("a", "n1");
    await world.clock.settle();
    expect(names(informer)).toEqual(["a"]);
    world.bus.isDown = false;
    await marksFor(world, 60_000);
    const before = world.api.requests.length;
    world.put("b", "n1");
    world.bus.deliverAll();
    await world.clock.advance(1_000);
    expect(names(informer)).toEqual(["a", "b"]);
    expect(world.api.requests).toHaveLength(before);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "waits out a failure once, however often the bus connects and disconnects (seed %d)",
    async (seed) => {
      await using world = startWorld(seed);
      const informer = await world.follow();
      await unreadableFor(world, 60_000);
      world.put("late", "n1");
      world.bus.drop();
      for (let seconds = 0; seconds < 16; seconds += 4) {
        world.bus.interrupt();
        await world.clock.advance(4_000);
      }
      expect(names(informer)).toEqual(["late"]);
    },
  );

  test.each([
    ["a mark", {}, (world: World) => world.bus.mark()],
    [
      "the answer to a Lease renewal",
      { nodeName: "n1" },
      (_: World, informer: Informer<Pod>) => informer.noticeRevision(0),
    ],
  ])(
    "that could not read the server does so within a second when %s reports that it is reachable",
    async (_, options, tell) => {
      await using world = startWorld();
      const informer = await world.follow(options);
      await unreadableFor(world, 60_000);
      world.put("late", "n1");
      world.bus.drop();
      await world.clock.advance(500);
      const before = world.api.requests.length;
      tell(world, informer);
      world.bus.deliverAll();
      await world.clock.advance(1_000);
      expect(names(informer)).toEqual(["late"]);
      expect(world.api.requests).toHaveLength(before + 1);
    },
  );

  test("that followed the stream again after a failed read restarts its pauses", async () => {
    await using world = startWorld();
    const informer = await world.follow();
    await unreadableFor(world, 60_000);
    world.bus.mark();
    world.bus.deliverAll();
    await world.clock.advance(1_000);
    world.api.isDown = true;
    world.bus.interrupt();
    await world.clock.advance(100);
    world.api.isDown = false;
    world.put("late", "n1");
    world.bus.drop();
    await world.clock.advance(1_000);
    expect(names(informer)).toEqual(["late"]);
  });

  test("lists again only when the server has compacted its position", async () => {
    await using world = startWorld();
    world.put("old", "n1");
    const informer = await world.follow();
    world.bus.interrupt();
    world.bus.isDown = true;
    world.api.isDown = true;
    await world.clock.advance(1_000);
    world.remove("old");
    world.put("new", "n1");
    world.api.log.compact();
    world.api.isDown = false;
    await world.clock.advance(30_000);
    expect(names(informer)).toEqual(["new"]);
    expect(world.api.requests.filter((request) => request === "GET /api/v1/pods?limit=500")).toHaveLength(2);
  });

  test("lists again when a backup was restored", async () => {
    await using world = startWorld();
    world.put("a", "n1");
    const informer = await world.follow();
    world.put("b", "n1");
    world.bus.deliverAll();
    await world.clock.settle();
    world.api.log.jump(1_000_000);
    world.bus.historyId = "history-2";
    world.put("c", "n1");
    world.bus.deliverAll();
    await world.clock.advance(1_000);
    expect(names(informer)).toEqual(["a", "b", "c"]);
    expect(informer.position()).toBe(world.api.log.revision);
  });

  test("fetches objects that the stream omits, and treats 404 as deleted", async () => {
    await using world = startWorld();
    world.bus.withObjects = false;
    const informer = await world.follow();
    world.put("kept", "n1");
    world.put("gone", "n1");
    world.remove("gone");
    world.bus.deliverAll();
    await world.clock.settle();
    expect(names(informer)).toEqual(["kept"]);
    expect(world.api.requests.filter((request) => /pods\/(kept|gone)/.test(request))).toHaveLength(2);
  });

  test("of one node does not add a pod whose name moved to another node before the fetch", async () => {
    await using world = startWorld();
    world.bus.withObjects = false;
    const informer = await world.follow({ nodeName: "n1" });
    world.put("web", "n1");
    world.remove("web");
    world.put("web", "n2");
    world.bus.deliver((messages) => messages.splice(0, 1));
    await world.clock.settle();
    expect(names(informer)).toEqual([]);
  });

  test("that cannot fetch an object reads it by a watch, and loses no later change", async () => {
    await using world = startWorld();
    world.bus.withObjects = false;
    const informer = await world.follow();
    world.put("a", "n1");
    world.put("b", "n1");
    world.api.isDown = true;
    world.bus.deliverAll();
    await world.clock.advance(20_000);
    expect(names(informer)).toEqual([]);
    world.api.isDown = false;
    await world.clock.advance(40_000);
    expect(names(informer)).toEqual(["a", "b"]);
  });

  test("reports every present object to a handler that is added later", async () => {
    await using world = startWorld();
    world.put("a", "n1");
    const informer = await world.follow();
    const seen: string[] = [];
    const stop = informer.onChange((change) => seen.push(`${change.type} ${change.object.metadata.name}`));
    stop();
    world.put("b", "n1");
    world.bus.deliverAll();
    await world.clock.settle();
    expect(seen).toEqual(["added a"]);
  });

  test("by label or name is followed over HTTP, where the server selects", async () => {
    await using world = startWorld();
    world.put("a", "n1");
    const informer = await world.follow({ name: "a" });
    world.remove("a");
    await world.clock.settle();
    expect(names(informer)).toEqual([]);
    expect(world.bus.subscriptions).toBe(0);
  });

  test("waits for its first list, or until the wait is cancelled", async () => {
    await using world = startWorld();
    world.api.isDown = true;
    const informer = world.start({ type: pods });
    const reason = new Error("no more patience");
    const stop = new AbortController();
    const waiting = informer.waitForSync(stop.signal).catch((error: unknown) => error);
    await world.clock.advance(1000);
    stop.abort(reason);
    expect(await waiting).toBe(reason);
    expect(informer.synced).toBe(false);
  });

  test("leaves no timer and no request behind when it is stopped", async () => {
    const world = startWorld();
    await world.follow();
    await world.follow({ name: "a" });
    await world[Symbol.asyncDispose]();
    await world.clock.settle();
    expect(world.clock.pendingTimers()).toBe(0);
    expect(world.bus.subscriptions).toBe(0);
  });
});

type World = ReturnType<typeof startWorld>;

/** The relay publishes its position every 5 s. */
async function marksFor({ bus, clock }: World, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
    await clock.advance(5_000);
    bus.mark();
    bus.deliverAll();
  }
  await clock.settle();
}

/** A follower has to read, and the server does not answer. */
async function unreadableFor({ api, bus, clock }: World, ms: number): Promise<void> {
  api.isDown = true;
  bus.interrupt();
  await clock.advance(ms);
  api.isDown = false;
}
