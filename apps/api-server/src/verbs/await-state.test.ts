import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { ReplicatedStore } from "@kintsugi/store";
import { type MemoryLogConnection, SharedMemoryLog } from "@kintsugi/store/simulated";
import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

interface Servers extends AsyncDisposable {
  clock: VirtualClock;
  log: SharedMemoryLog;
  servers: readonly [TestServer, TestServer];
  connections: readonly [MemoryLogConnection, MemoryLogConnection];
}

/** Two API servers on one log, with the namespace default. */
async function startTwo(): Promise<Servers> {
  const clock = new VirtualClock();
  const random = new SeededRandom(5);
  const log = new SharedMemoryLog({ clock, random });
  const connections = [log.connect(), log.connect()] as const;
  const stores: ReplicatedStore[] = [];
  const start = async (connection: MemoryLogConnection) => {
    const store = await ReplicatedStore.open({ log: connection, clock, random });
    stores.push(store);
    return TestServer.start({}, { store, clock, random });
  };
  const servers = [await start(connections[0]), await start(connections[1])] as const;
  await servers[0].post("/api/v1/namespaces", { metadata: { name: "default" } });
  return {
    clock,
    log,
    servers,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) await server[Symbol.asyncDispose]();
      for (const store of stores) await store.close();
    },
  };
}

/** Advances virtual time until the promise is settled. */
async function inTime<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => (isSettled = true);
  work.then(settle, settle);
  for (let i = 0; i < 200 && !isSettled; i++) await clock.advance(100);
  return work;
}

describe("two API servers on one log", () => {
  test("a read returns writes that the other server acknowledged, however late changes arrive", async () => {
    await using two = await startTwo();
    const [a, b] = two.servers;
    two.log.faults.followDelayMaxMs = 2_000;
    for (let i = 0; i < 10; i++) {
      expect((await inTime(two.clock, a.post(podsPath, aPod(`p${i}`)))).status).toBe(201);
      expect((await inTime(two.clock, b.get(`${podsPath}/p${i}`))).status).toBe(200);
      const { json } = await inTime(two.clock, b.get(podsPath));
      expect(json.items).toHaveLength(i + 1);
    }
  });

  test("a read of any version is answered from memory, and a read of a given version waits for it", async () => {
    await using two = await startTwo();
    const [a, b] = two.servers;
    two.connections[1].cut();
    const { json } = await a.post(podsPath, aPod("p"));
    const version = json.metadata.resourceVersion;
    expect((await b.get(`${podsPath}/p?resourceVersion=0`)).status).toBe(404);
    const waiting = b.get(`${podsPath}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`);
    await two.clock.advance(1_000);
    two.connections[1].heal();
    expect((await waiting).json.items).toHaveLength(1);
  });

  test("a version that does not arrive is answered with 504 after 3 s, even for a watch", async () => {
    await using two = await startTwo();
    const [, b] = two.servers;
    for (const query of ["resourceVersion=9999", "resourceVersion=9999&watch=1"]) {
      const startMs = two.clock.monotonicMs();
      const { status, json } = await inTime(two.clock, b.get(`${podsPath}?${query}`));
      expect([status, json.message]).toEqual([504, expect.stringContaining("Too large resource version: 9999")]);
      expect(two.clock.monotonicMs() - startMs).toBeLessThanOrEqual(3_200);
    }
  });

  test("a page of a list continues at the other server", async () => {
    await using two = await startTwo();
    const [a, b] = two.servers;
    for (const name of ["p1", "p2", "p3"]) await a.post(podsPath, aPod(name));
    two.connections[1].cut();
    await a.post(podsPath, aPod("p4"));
    const first = await a.get(`${podsPath}?limit=2`);
    const second = b.get(`${podsPath}?limit=2&continue=${first.json.metadata.continue}`);
    await two.clock.advance(500);
    two.connections[1].heal();
    const names = (await second).json.items.map((pod: { metadata: { name: string } }) => pod.metadata.name);
    expect(names).toEqual(["p3", "p4"]);
  });

  test("a write finds an object that the other server has just created", async () => {
    await using two = await startTwo();
    const [a, b] = two.servers;
    two.log.faults.followDelayMaxMs = 500;
    await inTime(two.clock, a.post("/api/v1/namespaces", { metadata: { name: "new" } }));
    const path = "/api/v1/namespaces/new/pods";
    expect((await inTime(two.clock, b.post(path, aPod("p")))).status).toBe(201);
    expect((await inTime(two.clock, a.delete(`${path}/p`))).status).toBe(200);
    expect((await inTime(two.clock, b.post(path, aPod("p")))).status).toBe(201);
  });

  test("a server that is cut off is not ready, ends its watches, refuses new watches and never returns stale data", async () => {
    await using two = await startTwo();
    const [a, b] = two.servers;
    const watch = await b.watch(`${podsPath}?watch=1`);
    expect((await b.get("/readyz")).status).toBe(200);
    two.connections[1].cut();
    expect((await a.post(podsPath, aPod("p"))).status).toBe(201);
    const read = await inTime(two.clock, b.get(`${podsPath}/p`));
    expect([read.status, read.headers["retry-after"]]).toEqual([503, "1"]);
    const write = await inTime(two.clock, b.post(podsPath, aPod("q")));
    expect([write.status, write.json.message]).toEqual([503, expect.stringContaining("nothing was written")]);
    await two.clock.advance(15_000);
    expect(await watch.next()).toBeUndefined();
    expect((await b.get("/readyz")).text).toContain("[-]etcd failed");
    expect((await b.get(`${podsPath}?watch=1&resourceVersion=1`)).status).toBe(503);
    expect((await b.get(`${podsPath}?resourceVersion=0`)).status).toBe(200);
    two.connections[1].heal();
    await two.clock.advance(3_000);
    expect((await b.get("/readyz")).status).toBe(200);
    expect((await b.get(`${podsPath}/p`)).status).toBe(200);
  });

  test("snapshots include writes that the other server acknowledged", async () => {
    await using two = await startTwo();
    const [a, b] = two.servers;
    two.log.faults.followDelayMaxMs = 2_000;
    await inTime(two.clock, a.post(podsPath, aPod("in-the-snapshot")));
    const { text } = await inTime(two.clock, b.get("/apis/kintsugi.dev/v1alpha1/snapshot"));
    expect(text).toContain("in-the-snapshot");
  });
});
