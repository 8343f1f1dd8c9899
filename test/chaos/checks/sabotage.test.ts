import { type ConfigMap, configMaps, namespaces, silentLogger, silentMetrics } from "@kintsugi/api";
import { createApiServer } from "@kintsugi/api-server/factory";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { checkHistory, type Commit, commitOf, Journal } from "@kintsugi/simulation";
import { MemoryStore } from "@kintsugi/store/simulated";
import { expect, test } from "vitest";
import { readFinals, startClients } from "../load/clients.ts";
import { loadObjects } from "../load/objects.ts";
import { pause } from "../load/writers.ts";

// These tests show that a harness that reports no violations is able to find faults: the same
// clients and the same checks as in a chaos run, on an api-server that occasionally returns wrong
// answers.

const deps = { clock: systemClock, random: systemRandom };
const identity = { name: "tester", groups: ["system:masters", "system:authenticated"] };
const loadMs = 2_500;
const loadLasts = new AbortController().signal;

/** The server as a client sees it; calls that are not named remain correct. */
type Lie = (honest: Client) => Partial<Client>;

/** Returns the checks' findings for the load with such a server. */
async function violationsWith(lie: Lie): Promise<string[]> {
  const store = new MemoryStore({ clock: systemClock });
  const server = createApiServer({ ...deps, store, log: silentLogger, metrics: silentMetrics });
  const serverEnd = new AbortController();
  const running = server.run(serverEnd.signal);
  await server.ready;
  const commits: Commit[] = [];
  store.subscribe((changes) => {
    for (const change of changes) if (change.entry.key.startsWith(loadObjects.prefix)) commits.push(commitOf(change));
  });
  const client = createInProcessClient({ ...deps, handler: { handle: server.handle } }, { identity });
  await client.create(namespaces, { metadata: { name: loadObjects.namespace } });
  const journal = new Journal({ nowMs: () => performance.now() });
  const loadEnd = new AbortController();
  const lying = lie(client);
  const newClient = (): Client =>
    new Proxy(client, { get: (honest, name) => memberOf(lying, name) ?? memberOf(honest, name) });
  const { ended } = startClients({ journal, newClient }, { seed: 1 }, loadEnd.signal);
  await pause(loadMs, loadEnd.signal);
  loadEnd.abort();
  await ended;
  for (const final of await readFinals(client)) journal.add(final);
  serverEnd.abort();
  await running;
  await client.close();
  await store.close();
  const history = { ...journal.history(), commits };
  expect(history.calls.length).toBeGreaterThan(100);
  expect(history.watches.length).toBeGreaterThan(0);
  return checkHistory(history).map(({ invariant, message }) => `${invariant}: ${message}`);
}

function memberOf(object: object, name: string | symbol): unknown {
  const member = (object as Record<string | symbol, unknown>)[name];
  return typeof member === "function" ? member.bind(object) : member;
}

/** True at every n-th call. */
function every(count: number): () => boolean {
  let calls = 0;
  return () => ++calls % count === 0;
}

test("a correct server does not violate a check", async () => {
  expect(await violationsWith(() => ({}))).toEqual([]);
});

test("an acknowledged write that is missing is detected", async () => {
  const turn = every(15);
  const lie: Lie = (honest) => ({
    update: (type, object, options) => honest.update(type, object, turn() ? { ...options, dryRun: true } : options),
  });
  expect((await violationsWith(lie)).filter((violation) => violation.startsWith("writes-are-durable"))).not.toEqual([]);
});

test("updates that ignore their preconditions are detected", async () => {
  const lie: Lie = (honest) => ({
    async update(type, object, options) {
      // Long enough for another write in between.
      await pause(30, loadLasts);
      const { resourceVersion: _, ...metadata } = object.metadata;
      return honest.update(type, { ...object, metadata }, options);
    },
  });
  const violations = await violationsWith(lie);
  expect(violations.filter((violation) => /^(?:calls-are-linearizable|no-lost-updates)/.test(violation))).not.toEqual(
    [],
  );
});

test("a read of a replaced object is detected", async () => {
  const turn = every(10);
  const old = new Map<string, unknown>();
  const lie: Lie = (honest) => ({
    async get(type, key, options) {
      const object = await honest.get(type, key, options);
      const before = old.get(key.name);
      old.set(key.name, before ?? object);
      return turn() && before !== undefined ? (before as typeof object) : object;
    },
  });
  expect((await violationsWith(lie)).filter((violation) => violation.startsWith("calls-are-linearizable"))).not.toEqual(
    [],
  );
});

test("an event that a watch omits is detected", async () => {
  const turn = every(20);
  const lie: Lie = (honest) => ({
    async *watch(type, options) {
      for await (const event of honest.watch(type, options)) if (event.type === "BOOKMARK" || !turn()) yield event;
    },
  });
  expect((await violationsWith(lie)).filter((violation) => violation.startsWith("watches-are-complete"))).not.toEqual(
    [],
  );
});

test("a list that is not a snapshot is detected", async () => {
  const turn = every(6);
  const lie: Lie = (honest) => ({
    async call(request) {
      const body = (await honest.call(request)) as { items: ConfigMap[] };
      return turn() ? { ...body, items: body.items.slice(1) } : body;
    },
  });
  expect((await violationsWith(lie)).filter((violation) => violation.startsWith("lists-are-snapshots"))).not.toEqual(
    [],
  );
});

test("an acknowledged deletion that is missing is detected", async () => {
  const turn = every(3);
  const lie: Lie = (honest) => ({
    delete: (type, key, options) =>
      type.resource === configMaps.resource && turn()
        ? honest.get(type, key).then(() => {})
        : honest.delete(type, key, options),
  });
  expect(
    (await violationsWith(lie)).filter((violation) => /^(?:writes-are-durable|calls-are-linearizable)/.test(violation)),
  ).not.toEqual([]);
});
