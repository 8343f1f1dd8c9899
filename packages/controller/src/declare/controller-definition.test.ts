import {
  type ApiObject,
  namespaces,
  nodes,
  pods,
  replicaSets,
  type ResourceType,
  silentLogger,
  silentMetrics,
} from "@kintsugi/api";
import { createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { flag, option, optionDefaults } from "@kintsugi/daemon";
import { describe, expect, test } from "vitest";
import type { EventNote } from "../events/event-note.ts";
import type { QueueStarts } from "../queue/queue-starts.ts";
import { done } from "../reconciler.ts";
import { assembleControllers } from "./assemble-controllers.ts";
import { controllerDefiner, type ControllerInputs } from "./controller-definition.ts";
import type { ControllerParts } from "./controller-parts.ts";
import { type Informers, reading } from "./informer-pool.ts";
import { on, owns } from "./watch.ts";

interface Inputs extends ControllerInputs {
  key?: string;
}
interface World extends Inputs {
  informers: Informers;
}
const defineController = controllerDefiner<Inputs, World>();

const kinds: readonly ResourceType[] = [namespaces, nodes, pods, replicaSets];
const options = {
  delayMs: option("delay", flag.durationMs({ help: "A delay", fallback: 500 })),
};

interface SetUp {
  served?: readonly ResourceType[];
  key?: string;
  queueStarts?: QueueStarts;
}

function setUp({ served = kinds, key, queueStarts }: SetUp = {}) {
  const clock = new VirtualClock({ startMs: 0 });
  const random = new SeededRandom(1);
  const api = new MemoryApi({ clock, random }, kinds);
  const client = createInProcessClient({ handler: api, clock, random }, { identity: { name: "test", groups: [] } });
  const events: string[] = [];
  const calls: string[] = [];
  const stop = new AbortController();
  const inputs = {
    client,
    clock,
    log: silentLogger,
    metrics: silentMetrics,
    served,
    eventsAs: (component: string) => (note: EventNote) => events.push(`${component}: ${note.message}`),
    options: optionDefaults(options),
    ...(key === undefined ? {} : { key }),
    queueStarts,
  };
  const assemble = (...definitions: ReturnType<typeof defineController<typeof options>>[]) =>
    assembleControllers<typeof inputs, typeof inputs & World>(definitions, inputs, {
      client,
      clock,
      random,
      firstKinds: [pods],
    });
  const start = async (...definitions: Parameters<typeof assemble>) => {
    const { informers, make, leftOut } = assemble(...definitions);
    const made = make({ ...inputs, informers });
    void informers.run(stop.signal);
    await clock.settle();
    const running = Promise.all(made.map((controller) => controller.run(stop.signal)));
    // A test that expects the failure awaits it later.
    running.catch(() => {});
    await clock.settle();
    return { running, leftOut };
  };
  const put = async (resource: string, object: ApiObject) => {
    api.log.put(resource, object);
    await clock.settle();
  };
  const reconcile = (wanted: string) => {
    calls.push(`${clock.monotonicMs()} ${wanted}`);
    return Promise.resolve(done);
  };
  return { api, assemble, calls, clock, events, put, reconcile, start, stop };
}

/** A controller with the parts that `create` returns. */
const declared = (reads: readonly ResourceType[], create: () => ControllerParts) =>
  defineController({ name: "test", options, roles: [], reads, create });

const aPod = (name: string, owner?: string) => ({
  metadata: {
    name,
    namespace: "default",
    labels: { app: "web" },
    uid: `uid-of-${name}`,
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: `uid-of-${owner}`, controller: true },
          ],
        }),
  },
});
const aSet = (name: string, app = name) => ({
  metadata: { name, namespace: "default", uid: `uid-of-${name}` },
  spec: { selector: { matchLabels: { app } }, template: {} },
});

describe("a declared controller", () => {
  test("begins with given keys instead of those of existing objects, and reports its unfinished keys", async () => {
    const queues: Parameters<QueueStarts["observe"]>[0][] = [];
    const given: Record<string, string[]> = { test: ["default/b"] };
    const queueStarts: QueueStarts = { keysOf: (queue) => given[queue], observe: (queue) => queues.push(queue) };
    const { calls, put, reconcile, start } = setUp({ queueStarts });
    for (const name of ["a", "b", "c"]) await put("pods", aPod(name));
    await start(
      declared([pods], () => ({
        keys: pods,
        watches: [on(pods)],
        reconcile: async (key) => ({
          ...(await reconcile(key)),
          ...(key === "default/b" ? { retryAfterMs: 60_000 } : {}),
        }),
      })),
    );
    expect(calls).toEqual(["0 default/b"]);
    expect(queues.map((queue) => [queue.name, queue.unfinished()])).toEqual([["test", ["default/b"]]]);
    await put("pods", aPod("c"));
    expect(calls).toEqual(["0 default/b", "0 default/c"]);
  });

  test("reconciles every existing object, and then each change", async () => {
    const { calls, clock, put, reconcile, start } = setUp();
    await put("nodes", { metadata: { name: "a" } });
    await start(declared([nodes], () => ({ keys: nodes, watches: [on(nodes)], reconcile })));
    expect(calls).toEqual(["0 a"]);
    await clock.advance(1000);
    await put("nodes", { metadata: { name: "b" } });
    expect(calls).toEqual(["0 a", "1000 b"]);
  });

  test("queues the keys that its watch returns, after the returned delay", async () => {
    const { calls, clock, put, reconcile, start } = setUp();
    const watches = [on(pods, ({ object }) => [`about ${object.metadata.name}`], { afterMs: 500 })];
    await start(declared([pods], () => ({ keys: () => [], watches, reconcile })));
    await put("pods", aPod("a"));
    expect(calls).toEqual([]);
    await clock.advance(500);
    expect(calls).toEqual(["500 about a"]);
  });

  test("queues the owner of a changed object and its earlier owner, and without an owner each possible adopter", async () => {
    const { calls, put, reconcile, start } = setUp();
    for (const set of [aSet("first"), aSet("second"), aSet("adopter", "web")]) await put("replicasets", set);
    const seen: string[] = [];
    const observe = (_: unknown, key: string) => void seen.push(key);
    await start(
      declared([pods, replicaSets], () => ({
        keys: replicaSets,
        watches: [owns(pods, replicaSets, observe)],
        reconcile,
      })),
    );
    const woken = () => calls.splice(0).map((call) => call.slice(call.indexOf("/") + 1));
    await put("pods", aPod("p", "first"));
    expect(woken()).toEqual(["first"]);
    await put("pods", aPod("p", "second"));
    expect(woken()).toEqual(["first", "second"]);
    await put("pods", aPod("p"));
    expect(woken()).toEqual(["second", "adopter"]);
    await put("pods", aPod("p", "of-another-kind"));
    expect(woken()).toEqual([]);
    expect(seen).toEqual(["default/first", "default/second"]);
  });

  test("does its periodic work immediately, and then once a period until it ends", async () => {
    const { calls, clock, reconcile, start, stop } = setUp();
    const work = () => reconcile("all").then(() => {});
    const { running } = await start(declared([], () => ({ periodic: { periodMs: 1000, work } })));
    await clock.advance(2500);
    stop.abort();
    await running;
    await clock.advance(5000);
    expect(calls).toEqual(["0 all", "1000 all", "2000 all"]);
  });

  test("follows nothing after its end", async () => {
    const { put, reconcile, start, stop } = setUp();
    let changes = 0;
    const watches = [on(nodes, () => void changes++)];
    const { running } = await start(declared([nodes], () => ({ keys: nodes, watches, reconcile })));
    stop.abort();
    await running;
    await put("nodes", { metadata: { name: "a" } });
    expect(changes).toBe(0);
  });

  test("records events in its declared name, and no events without a name", async () => {
    const { events, start } = setUp();
    const note = { about: {}, type: "Normal", reason: "Test", message: "hello" } as const;
    const spec = { name: "test", options, roles: [], reads: [] };
    await start(
      defineController({ ...spec, events: "test-controller", create: ({ recordEvent }) => (recordEvent(note), {}) }),
    );
    expect(events).toEqual(["test-controller: hello"]);
    await expect(
      start(defineController({ ...spec, create: ({ recordEvent }) => (recordEvent(note), {}) })),
    ).rejects.toThrow("declares no component");
  });
});

describe("the kinds that controllers read", () => {
  const without = (type: Pick<ResourceType, "resource">) => kinds.filter((each) => each.resource !== type.resource);

  test("are each followed once, and no other kinds are followed; kinds that the program requests first are listed first", async () => {
    const { api, reconcile, start } = setUp();
    const parts = () => ({ keys: nodes, watches: [on(nodes)], reconcile });
    await start(declared([nodes, pods], parts), declared([nodes], parts));
    const lists = api.requests.filter((request) => !request.includes("watch="));
    expect(lists.map((request) => request.replace(/\?.*/, ""))).toEqual(["GET /api/v1/pods", "GET /api/v1/nodes"]);
  });

  test("exclude a controller that needs an unserved kind, with the reason", () => {
    const { assemble, reconcile } = setUp({ served: without(replicaSets) });
    const parts = () => ({ keys: nodes, watches: [], reconcile });
    const { leftOut } = assemble(declared([nodes, replicaSets], parts), declared([nodes], parts));
    expect(leftOut).toEqual([{ name: "test", because: "replicasets are not served" }]);
  });

  test("are named even by a controller that reads all served kinds", () => {
    const spec = {
      name: "test",
      options,
      roles: [],
      create: () => ({ queue: "test", keys: nodes, watches: [], reconcile: async () => done }),
    };
    const definition = defineController({ ...spec, reads: (served) => [nodes, ...served] });
    expect(definition.kinds).toEqual([nodes]);
  });

  test("may be optional: then the controller works without them", async () => {
    const { calls, put, reconcile, start } = setUp({ served: without(replicaSets) });
    await put("nodes", { metadata: { name: "a" } });
    const { leftOut } = await start(
      defineController({
        name: "test",
        options,
        roles: [],
        reads: [nodes],
        optional: [replicaSets],
        create: () => ({ keys: nodes, watches: [on(nodes), on(replicaSets)], reconcile }),
      }),
    );
    expect([leftOut, calls]).toEqual([[], ["0 a"]]);
  });

  test("are all declared: another controller's kinds cannot be read", async () => {
    const { reconcile, start } = setUp();
    const parts = () => ({ keys: nodes, watches: [on(namespaces)], reconcile });
    const broken = start(
      declared([namespaces], () => ({ keys: namespaces, watches: [], reconcile })),
      declared([nodes], parts),
    );
    const { running } = await broken;
    await expect(running).rejects.toThrow("reads /namespaces without declaring it");
  });

  test("have the indexes of all their readers, and two indexes of one name are rejected", async () => {
    const { put, start } = setUp();
    await put("pods", aPod("a"));
    const app = ({ metadata }: ApiObject) => [metadata.labels?.["app"] ?? ""];
    let found: string[] = [];
    const spec = { name: "test", options, roles: [] };
    const plain = defineController({ ...spec, reads: [pods], create: () => ({}) });
    const indexed = defineController({
      ...spec,
      reads: [reading(pods, { app })],
      create: ({ informers }) => ({
        periodic: {
          periodMs: 1000,
          work: async () => {
            found = informers
              .of(pods)
              .byIndex("app", "web")
              .map(({ metadata }) => metadata.name ?? "");
          },
        },
      }),
    });
    await start(plain, indexed);
    expect(found).toEqual(["a"]);
    const other = defineController({ ...spec, reads: [reading(pods, { app: () => [] })], create: () => ({}) });
    expect(() => setUp().assemble(indexed, other)).toThrow('different indexes "app"');
  });
});

test("a controller's further dependencies are provided, or the controller is excluded", async () => {
  let got: string | undefined;
  const definition = defineController({
    name: "test",
    options,
    roles: [],
    reads: [],
    needs: { what: "--key", of: ({ key }) => key },
    create: (_, key) => {
      got = key;
      return {};
    },
  });
  expect((await setUp().start(definition)).leftOut).toEqual([{ name: "test", because: "no --key" }]);
  expect(got).toBeUndefined();
  await setUp({ key: "secret" }).start(definition);
  expect(got).toBe("secret");
});
