import { type ConfigMap, configMaps } from "@kintsugi/api";
import { Invariants } from "@kintsugi/simulation";
import { StoreCorrupt } from "@kintsugi/store";
import type { SimulatedDisk } from "@kintsugi/store/simulated";
import { VirtualCluster } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";
import { sampleOf } from "../support/samples.ts";

/**
 * The end of a run of the api-server: its process is killed, or its machine loses power with that
 * outcome for unsynced data.
 */
const allEnds = ["torn", "killed", "lost", "kept"] as const;
type End = (typeof allEnds)[number];
const ends = sampleOf(allEnds, 2);
/**
 * The disk operations of an opening before it serves: it reads everything, and writes the objects
 * that every cluster has.
 */
const openingSteps = 12;

/** Starts an api-server alone, on a disk, with the checks of its commits. */
async function startServer(seed = 1) {
  const kept = { eventsMin: 0, durationMs: 1000 };
  const cluster = new VirtualCluster({ nodes: 0, seed, bus: false, disk: { syncMaxMs: 2 }, kept });
  const { store, clock, server } = cluster;
  const invariants = new Invariants({ store, clock, onViolation: () => {} });
  server.process.start();
  await cluster.during(server.ready);
  const { disk } = server;
  if (!disk) throw new Error("the cluster has no disk");
  return { cluster, invariants, server, disk };
}
type Started = Awaited<ReturnType<typeof startServer>>;

function end({ server }: Started, how: End): void {
  if (how === "killed") server.process.kill();
  else server.cutPower(how);
}

const namespace = "default";

function aConfigMap(name: string, data: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { data } };
}

/**
 * The clients' knowledge: the certain data by name, `undefined` for a deleted object, absent when
 * unknown.
 */
type Journal = Map<string, string | undefined>;

/**
 * Creates, updates and deletes, some in parallel, and a compaction. The outcome of a failed request
 * is unknown.
 */
async function work({ cluster, server }: Started): Promise<Journal> {
  const { client, clock } = cluster;
  const journal: Journal = new Map();
  const attempt = async (name: string, data: string | undefined, request: () => Promise<unknown>) => {
    journal.delete(name);
    await request().then(
      () => journal.set(name, data),
      () => {},
    );
  };
  const put = (name: string) => attempt(name, "1", () => client.create(configMaps, aConfigMap(name, "1")));
  const patch = (name: string) =>
    attempt(name, "2", () =>
      client.patch(configMaps, { namespace, name }, { type: "merge", body: { data: { data: "2" } } }),
    );
  const remove = (name: string) => attempt(name, undefined, () => client.delete(configMaps, { namespace, name }));
  await Promise.all([put("a"), put("b"), put("c")]);
  await Promise.all([patch("a"), remove("b")]);
  await clock.sleep(1500);
  // Clients do not get answers of a process that dies in the meantime.
  void server.store?.compact().catch(() => {});
  await patch("c");
  return journal;
}

async function found({ cluster }: Started): Promise<Map<string, string | undefined>> {
  const { items } = await cluster.during(cluster.client.list(configMaps, { namespace }));
  return new Map(items.map(({ metadata, data }) => [metadata.name ?? "", data?.["data"]]));
}

/**
 * Ends the server at the k-th point of the work, and again at the j-th step of the opening that
 * follows.
 */
async function liveThrough(how: End, k: number, j = 0): Promise<string[]> {
  const started = await startServer(k);
  const { cluster, server, disk, invariants } = started;
  const points: string[] = [];
  const endAt = (n: number, next: () => void) =>
    disk.crashPoints.arm(n, (point) => {
      points.push(point);
      end(started, how);
      cluster.clock.after(50, () => {
        next();
        server.process.start();
      });
    });
  try {
    const disarm = endAt(k, () => void (j > 0 && endAt(j, () => {})));
    const journal = await cluster.during(work(started));
    disarm();
    await cluster.during(server.ready);
    const there = await found(started);
    for (const [name, data] of journal) expect([name, there.get(name)]).toEqual([name, data]);
    // All data that was shown so far must also survive the next loss of power.
    server.cutPower("lost");
    server.process.start();
    await cluster.during(server.ready);
    expect(await found(started)).toEqual(there);
    expect(invariants.violation).toBeUndefined();
    expect(cluster.deaths).toEqual([]);
    return points;
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}

test.each(ends)("no acknowledged write is lost if the api-server crashes at any step of a write (%s)", async (how) => {
  const points: string[] = [];
  for (let k = 1; ; k++) {
    const [point] = await liveThrough(how, k);
    if (point === undefined) break;
    points.push(point);
  }
  // The server has ended at each place of a write.
  for (const place of [
    "write log",
    "sync log",
    "answer log",
    "write HEAD",
    "sync HEAD",
    "answer HEAD",
    "publish",
    "acknowledge",
    "respond",
  ])
    expect(points.filter((point) => point === place).length).toBeGreaterThan(1);
});

test.each([
  ["engine", "is rejected: the log was compacted up to"],
  ["everything", "was shown, but after a restart the store ends at"],
] as const)("a disk that falsely reports a sync (%s) is detected at the next loss of power", async (about, because) => {
  const started = await startServer();
  const { cluster, server, disk, invariants } = started;
  disk.disk.lyingAbout = about;
  await cluster.during(work(started));
  server.cutPower("lost");
  server.process.start();
  await cluster.advance(500);
  expect(invariants.violation).toMatchObject({
    invariant: "writes-are-durable",
    message: expect.stringContaining(because),
  });
  await cluster[Symbol.asyncDispose]();
});

test.each(ends)("no write is lost if it crashes again while it opens its data (%s)", async (how) => {
  // The sixth step of the first batch: its records are synced and HEAD is not.
  const k = 6;
  const [first, ...points] = await liveThrough(how, k, 1);
  for (let j = 2; j <= openingSteps; j++) points.push(...(await liveThrough(how, k, j)).slice(1));
  expect(first).toBe("answer HEAD");
  expect(points.length).toBe(openingSteps);
  expect(points).toEqual(expect.arrayContaining(["read HEAD", "sync log", "read log"]));
});

const head = "HEAD";

/**
 * Damages of a data directory while no process has it open. Returns the text that the error has to
 * contain.
 */
const damages: readonly [string, (disk: SimulatedDisk) => string][] = [
  ["a flipped bit of a record", (disk) => flipBit(disk.records, recordAt(disk, -1))],
  ["a flipped bit of an old record", (disk) => flipBit(disk.records, recordAt(disk, 3))],
  ["a lost record in the middle", (disk) => lose(disk.records, recordAt(disk, -2))],
  [
    "a lost record of a long-lived object",
    (disk) => (lose(disk.records, recordAt(disk, 3)), "records remain up to it"),
  ],
  ["the end of the log cut off", (disk) => lose(disk.records, recordAt(disk, -1))],
  ["an emptied log", (disk) => (disk.records.clear(), "the log was compacted up to")],
  ["HEAD lost", (disk) => (disk.files.delete(head), "but no HEAD")],
  [
    "both slots of HEAD damaged",
    (disk) => (disk.files.set(head, Buffer.alloc(8192)), "the file HEAD is damaged in both"),
  ],
];

test.each(damages)(
  "with %s the api-server refuses to start with its name, and serves again with the restored disk",
  async (_, damage) => {
    const started = await startServer();
    const { cluster, server, disk, invariants } = started;
    await cluster.during(work(started));
    await cluster.during(
      Promise.all(["x", "y", "z"].map((name) => cluster.client.create(configMaps, aConfigMap(name, "1")))),
    );
    const there = await found(started);
    server.process.kill();
    const image = disk.image();
    const named = damage(disk.disk);
    disk.expectRefusal();
    server.process.start();
    await cluster.advance(10_000);
    expect(server.isReady).toBe(false);
    expect(cluster.deaths.length).toBeGreaterThan(5);
    for (const { error } of cluster.deaths) {
      expect(error).toBeInstanceOf(StoreCorrupt);
      expect(String(error)).toContain(named);
    }
    await expect(cluster.during(found(started))).rejects.toThrow("connection refused");
    server.process.kill();
    disk.restore(image);
    server.process.start();
    await cluster.during(server.ready);
    expect(await found(started)).toEqual(there);
    expect(invariants.violation).toBeUndefined();
    await cluster[Symbol.asyncDispose]();
  },
);

test("one damaged slot of HEAD does not prevent the start: the other slot is used, and the log is ahead of it", async () => {
  const started = await startServer();
  const { cluster, server, disk, invariants } = started;
  await cluster.during(work(started));
  const there = await found(started);
  for (const slot of [0, 4096]) {
    server.process.kill();
    const bytes = Buffer.from(disk.disk.files.get(head) ?? []);
    disk.disk.files.set(head, bytes.fill(0, slot, slot + 512));
    server.process.start();
    await cluster.during(server.ready);
    expect(await found(started)).toEqual(there);
    // Both slots are whole again after two more writes.
    await cluster.during(cluster.client.create(configMaps, aConfigMap(`after-${slot}`, "1")));
    await cluster.during(cluster.client.delete(configMaps, { namespace, name: `after-${slot}` }));
  }
  expect(invariants.violation).toBeUndefined();
  expect(cluster.deaths).toEqual([]);
  await cluster[Symbol.asyncDispose]();
});

/** The oldest record is 0, and the newest is -1. */
function recordAt(disk: SimulatedDisk, index: number): string {
  return [...disk.records.keys()].toSorted().at(index) ?? "";
}

function flipBit(records: Map<string, Buffer>, key: string): string {
  const bytes = Buffer.from(records.get(key) ?? []);
  bytes[50] = (bytes[50] ?? 0) ^ 4;
  records.set(key, bytes);
  return key;
}

function lose(records: Map<string, Buffer>, key: string): string {
  records.delete(key);
  return key;
}
