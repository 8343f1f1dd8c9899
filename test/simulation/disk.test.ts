import { type ConfigMap, configMaps } from "@kintsugi/api";
import { Invariants } from "@kintsugi/simulation";
import { VirtualCluster } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

/** How a life of the api-server ends: its process is killed, or its machine loses power with that fate for what was not synced. */
const ends = ["killed", "lost", "kept", "torn"] as const;
type End = (typeof ends)[number];

/** An api-server alone, on a disk, with the checks that look at what it commits. */
async function startServer(seed = 1) {
  const cluster = new VirtualCluster({ nodes: 0, seed, bus: false, disk: { syncMaxMs: 2 } });
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

/** What clients were answered: by name the data that is there for certain, `undefined` where it was deleted, absent when unknown. */
type Journal = Map<string, string | undefined>;

/** Creates, updates and deletes, some at the same time. A request that fails leaves open whether it was done. */
async function work({ cluster }: Started): Promise<Journal> {
  const { client } = cluster;
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
  await patch("c");
  return journal;
}

async function found({ cluster }: Started): Promise<Map<string, string | undefined>> {
  const { items } = await cluster.during(cluster.client.list(configMaps, { namespace }));
  return new Map(items.map(({ metadata, data }) => [metadata.name ?? "", data?.["data"]]));
}

async function liveThrough(how: End, k: number): Promise<string | undefined> {
  const started = await startServer(k);
  const { cluster, server, disk, invariants } = started;
  try {
    let point: string | undefined;
    disk.crashPoints.arm(k, (passed) => {
      point = passed;
      end(started, how);
      cluster.clock.after(50, () => server.process.start());
    });
    const journal = await cluster.during(work(started));
    disk.crashPoints.disarm();
    await cluster.during(server.ready);
    const there = await found(started);
    for (const [name, data] of journal) expect([name, there.get(name)]).toEqual([name, data]);
    // Whatever was shown so far has to survive the next loss of power too.
    server.cutPower("lost");
    server.process.start();
    await cluster.during(server.ready);
    expect(await found(started)).toEqual(there);
    expect(invariants.violation).toBeUndefined();
    expect(cluster.deaths).toEqual([]);
    return point;
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}

test.each(ends)(
  "nothing acknowledged is lost wherever in the life of a write the api-server ends (%s)",
  async (how) => {
    const points: string[] = [];
    for (let k = 1; ; k++) {
      const point = await liveThrough(how, k);
      if (point === undefined) break;
      points.push(point);
    }
    // Each place of a write was one at which it ended.
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
  },
);

test.each([
  ["engine", "is refused: the log ends at"],
  ["everything", "was shown, and after a restart the store ends at"],
] as const)(
  "a disk that only says that it has synced (%s) is found out at the next loss of power",
  async (about, because) => {
    const started = await startServer();
    const { cluster, server, disk, invariants } = started;
    disk.disk.lyingAbout = about;
    await cluster.during(work(started));
    server.cutPower("lost");
    server.process.start();
    await cluster.advance(500);
    expect(invariants.violation).toMatchObject({ invariant: "S1", message: expect.stringContaining(because) });
    await cluster[Symbol.asyncDispose]();
  },
);
