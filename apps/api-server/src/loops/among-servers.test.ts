import { type Lease, type Logger, silentLogger, type TimelineEntry } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { ReplicatedStore } from "@kintsugi/store";
import { type MemoryLogConnection, SharedMemoryLog } from "@kintsugi/store/simulated";
import type { ChangePublisher } from "@kintsugi/watch-stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

interface Server {
  server: TestServer;
  connection: MemoryLogConnection;
  /** The revisions that the server has published on the bus, and the number of its marks. */
  published: number[];
  marks: () => number;
  stop: () => Promise<void>;
}

/** API servers at 192.0.2.1 and so on, which share one log. */
async function startServers(
  count: number,
  {
    aheadMs = 0,
    log: logger,
  }: { /** Time by which the clock of the last server is ahead. */ aheadMs?: number; log?: Logger } = {},
): Promise<{ clock: VirtualClock; servers: Server[] }> {
  const clock = new VirtualClock();
  const random = new SeededRandom(5);
  const log = new SharedMemoryLog({ clock, random });
  const servers: Server[] = [];
  for (let i = 1; i <= count; i++) {
    const connection = log.connect();
    const store = await ReplicatedStore.open({ log: connection, clock, random, writer: `host-${i}` });
    const published: number[] = [];
    let marks = 0;
    const changePublisher: ChangePublisher = {
      publish: ({ revision }) => void published.push(revision),
      publishMarks: () => void marks++,
      flush: async () => {},
    };
    const advertised = { address: `192.0.2.${i}`, port: 6443 };
    const server = await TestServer.start(
      { advertised },
      {
        store,
        clock: i === count ? aheadBy(clock, aheadMs) : clock,
        random,
        changePublisher,
        amongServers: { hostname: `host-${i}` },
        ...(logger === undefined ? {} : { log: logger }),
      },
    );
    const stop = async () => {
      const stopping = server[Symbol.asyncDispose]();
      for (let s = 0; s < 15; s++) await clock.advance(1_000);
      await stopping;
      await store.close();
    };
    servers.push({ server, connection, published, marks: () => marks, stop });
    await clock.advance(1_000);
  }
  return { clock, servers };
}

/** A copy of the clock whose wall time is ahead. The monotonic time is the same. */
function aheadBy(clock: VirtualClock, ms: number): VirtualClock {
  return new Proxy(clock, {
    get(target, name) {
      if (name === "nowMs") return () => target.nowMs() + ms;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}

async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let s = 0; s < seconds; s++) await clock.advance(1_000);
}

const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const leader = async ({ server }: Server): Promise<string> =>
  (await server.get(`${leasesPath}/kintsugi-api-server?resourceVersion=0`)).json.spec.holderIdentity;
const addresses = async ({ server }: Server): Promise<string[]> => {
  const { json } = await server.get("/api/v1/namespaces/default/endpoints/kubernetes?resourceVersion=0");
  return json.subsets.flatMap((subset: { addresses: { ip: string }[] }) => subset.addresses.map(({ ip }) => ip));
};
const pick = (servers: readonly Server[], index: number): Server => {
  const found = servers[index];
  if (found === undefined) throw new Error(`there is no server ${index}`);
  return found;
};

describe("API servers that share their objects", () => {
  test("find each other through Leases, and the Service kubernetes leads to all of them", async () => {
    const { clock, servers } = await startServers(3);
    onTestFinished(async () => {
      for (const { stop } of servers) await stop();
    });
    await pass(clock, 15);
    const { json } = await pick(servers, 0).server.get(`${leasesPath}?labelSelector=apiserver.kubernetes.io/identity`);
    const names = (json.items as Lease[]).map(({ metadata }) => metadata.name ?? "");
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^apiserver-[a-z2-7]{26}$/);
    expect((await addresses(pick(servers, 1))).toSorted()).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
  });

  test("a server that exits is removed immediately, and a server that is cut off is removed when its Lease expires", async () => {
    const { clock, servers } = await startServers(3);
    const [first, second, third] = [pick(servers, 0), pick(servers, 1), pick(servers, 2)];
    onTestFinished(async () => {
      await first.stop();
      await second.stop();
    });
    await pass(clock, 15);
    await third.stop();
    expect((await addresses(first)).toSorted()).toEqual(["192.0.2.1", "192.0.2.2"]);
    second.connection.cut();
    await pass(clock, 40);
    expect(await addresses(first)).toEqual(["192.0.2.1"]);
    second.connection.heal();
    await pass(clock, 40);
    expect((await addresses(first)).toSorted()).toEqual(["192.0.2.1", "192.0.2.2"]);
  });

  test("the leader does the work that needs a single server, and another server continues when the leader is cut off", async () => {
    const { clock, servers } = await startServers(2);
    const [first, second] = [pick(servers, 0), pick(servers, 1)];
    onTestFinished(async () => {
      await first.stop();
      await second.stop();
    });
    await pass(clock, 15);
    expect(await leader(second)).toMatch(/^host-1_/);
    await second.server.post("/api/v1/namespaces", { metadata: { name: "seen" } });
    await pass(clock, 1);
    expect([first.published.length > 0, first.marks() > 0]).toEqual([true, true]);
    expect([second.published.length, second.marks()]).toEqual([0, 0]);

    first.connection.cut();
    await pass(clock, 40);
    expect(await leader(second)).toMatch(/^host-2_/);
    const before = { published: first.published.length, marks: first.marks() };
    await second.server.post("/api/v1/namespaces", { metadata: { name: "seen-later" } });
    await pass(clock, 10);
    expect([second.published.length > 0, second.marks() > 0]).toEqual([true, true]);
    // The server that was cut off does not publish changes, and still answers from memory.
    expect({ published: first.published.length, marks: first.marks() }).toEqual(before);
    expect((await first.server.get("/api/v1/namespaces/seen?resourceVersion=0")).status).toBe(200);
  });

  test("a clock that differs from another server's clock causes a warning with a remedy, which is not repeated forever", async () => {
    const said: string[] = [];
    const log: Logger = { ...silentLogger, warn: (text, fields) => said.push(`${text} ${JSON.stringify(fields)}`) };
    const { clock, servers } = await startServers(2, { aheadMs: 90_000, log });
    onTestFinished(async () => {
      for (const { stop } of servers) await stop();
    });
    await pass(clock, 60);
    const apart = said.filter((text) => text.startsWith("clocks of servers differ"));
    expect(apart).toHaveLength(2);
    expect(apart.join()).toMatch(/9\d s ahead of that of host-1: .*timedatectl/);
    expect(apart.join()).toMatch(/[89]\d s behind that of host-2/);
  });

  test("clocks that agree and a Lease of yesterday cause no warning", async () => {
    const said: string[] = [];
    const log: Logger = { ...silentLogger, warn: (text) => said.push(text) };
    const { clock, servers } = await startServers(2, { log });
    const [first, second] = [pick(servers, 0), pick(servers, 1)];
    onTestFinished(() => first.stop());
    await pass(clock, 30);
    second.connection.cut();
    await pass(clock, 200);
    second.connection.heal();
    await pass(clock, 30);
    await second.stop();
    expect(said.filter((text) => text.startsWith("clocks"))).toEqual([]);
  });

  test("each server's timeline names the server that accepted a write and the leaders", async () => {
    const { clock, servers } = await startServers(2);
    const [first, second] = [pick(servers, 0), pick(servers, 1)];
    onTestFinished(async () => {
      for (const { stop } of servers) await stop();
    });
    await pass(clock, 15);
    await second.server.post("/api/v1/nodes", { metadata: { name: "n1" } });
    await pass(clock, 3);
    const linesOf = async ({ server }: Server) => {
      const { json } = await server.get("/apis/kintsugi.dev/v1alpha1/timeline");
      return (json.items as TimelineEntry[]).map(({ kind, name, what, detail, server: by }) =>
        [kind, name, what, detail, by].join(" "),
      );
    };
    for (const each of [first, second]) expect(await linesOf(each)).toContain("Node n1 created  host-2");
    expect(await linesOf(first)).toContain("Lease kintsugi-api-server leads host-1 host-1");
    first.connection.cut();
    await pass(clock, 40);
    expect(await linesOf(second)).toContain("Lease kintsugi-api-server leads host-2, after host-1 host-2");
  });
});
