import { ApiError, type ApiObject, type Lease, silentLogger, silentMetrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/testing";
import { describe, expect, test } from "vitest";
import { fencedClient } from "./fenced-client.ts";
import { type Leadership, LeadershipLost, runAsLeader } from "./run-as-leader.ts";

type LeaseClient = Pick<Client, "find" | "create" | "update">;

/** One Lease behind optimistic concurrency, with a switch per client that cuts it off. */
class LeaseServer {
  lease: Lease | undefined;
  #revision = 0;

  client(link: { cut: "no" | "refuses" | "hangs" | "loses answers" } = { cut: "no" }): LeaseClient {
    const call = async (signal: AbortSignal | undefined, perform: () => Lease | undefined): Promise<unknown> => {
      if (link.cut === "refuses") throw new Error("connection refused");
      if (link.cut === "hangs") return never(signal);
      const answer = perform();
      return link.cut === "loses answers" ? never(signal) : answer;
    };
    return {
      find: async <T extends ApiObject>(...[, , options]: Parameters<Client["find"]>) =>
        (await call(options?.signal, () => this.lease)) as T | undefined,
      create: async <T extends ApiObject>(...[, object, options]: Parameters<Client["create"]>) =>
        (await call(options?.signal, () => {
          if (this.lease) throw new ApiError("AlreadyExists", 'leases "test" already exists');
          return this.#store(object as Lease);
        })) as T,
      update: async <T extends ApiObject>(...[, object, options]: Parameters<Client["update"]>) =>
        (await call(options?.signal, () => {
          const stale = object.metadata.resourceVersion !== this.lease?.metadata.resourceVersion;
          if (stale) throw new ApiError("Conflict", "the object has been modified");
          return this.#store(object as Lease);
        })) as T,
    };
  }

  #store(lease: Lease): Lease {
    this.#revision++;
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#revision) } };
    return this.lease;
  }
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };

function setUp() {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const journal: string[] = [];
  const note = (what: string) => journal.push(`${clock.monotonicMs()} ${what}`);

  const start = (identity: string, seed: number) => {
    const link: { cut: "no" | "refuses" | "hangs" | "loses answers" } = { cut: "no" };
    const stop = new AbortController();
    const leaderships: Leadership[] = [];
    const ended = runAsLeader(
      {
        client: server.client(link),
        clock,
        random: new SeededRandom(seed),
        log: silentLogger,
        metrics: silentMetrics,
        signal: stop.signal,
        recordEvent: (_lease, message) => note(`event: ${message}`),
      },
      { namespace: "kube-system", name: "test", identity, ...times },
      async (signal, leadership) => {
        leaderships.push(leadership);
        note(`${identity} works`);
        await never(signal).catch(() => note(`${identity} stops`));
      },
    );
    const outcome = ended.then(
      () => note(`${identity} ended`),
      (error: unknown) => note(`${identity} failed: ${(error as Error).message}`),
    );
    return { link, stop, ended, outcome, leaderships };
  };
  return { clock, server, journal, start };
}

describe("leader election", () => {
  test("lets the first candidate work at once and the second wait", async () => {
    const { clock, server, journal, start } = setUp();
    start("a", 1);
    await clock.advance(1);
    start("b", 2);
    await clock.advance(600_000);
    expect(journal).toEqual(["0 event: a became leader", "0 a works"]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 0, leaseDurationSeconds: 15 });
  });

  test("releases the lease after the work has ended, so that another takes over within its retry period", async () => {
    const { clock, server, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(1);
    start("b", 2);
    await clock.advance(100_000);
    a.stop.abort(new Error("stop"));
    await clock.advance(2000 * 2.2);
    expect(journal.slice(1, 5)).toEqual([
      "0 a works",
      "100001 a stops",
      "100001 event: a stopped leading",
      "100001 a ended",
    ]);
    expect(journal.at(-1)).toMatch(/ b works$/);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  test.each(["refuses", "hangs", "loses answers"] as const)(
    "ends a leader whose API %s by the renew deadline, before anybody else may lead",
    async (cut) => {
      const { clock, journal, start } = setUp();
      const a = start("a", 1);
      await clock.advance(1);
      start("b", 2);
      await clock.advance(20_000);
      const cutAtMs = clock.monotonicMs();
      a.link.cut = cut;
      await clock.advance(60_000);
      const at = (suffix: string) => Number(journal.find((line) => line.endsWith(suffix))?.split(" ")[0]);
      expect(at("a stops")).toBeLessThanOrEqual(cutAtMs + times.renewDeadlineMs);
      expect(at("a failed: leader election lost: kube-system/test")).toBe(at("a stops"));
      expect(at("b works") - at("a stops")).toBeGreaterThanOrEqual(times.leaseDurationMs - times.renewDeadlineMs);
      await expect(a.ended).rejects.toThrow(LeadershipLost);
    },
  );

  test("keeps leading through an outage shorter than the renew deadline", async () => {
    const { clock, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(20_000);
    a.link.cut = "refuses";
    await clock.advance(7000);
    a.link.cut = "no";
    await clock.advance(60_000);
    expect(journal).toEqual(["0 event: a became leader", "0 a works"]);
    expect(a.leaderships[0]?.isCurrent()).toBe(true);
  });

  test("goes on after a renewal whose answer was lost, by reading the lease", async () => {
    const { clock, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(2500);
    a.link.cut = "loses answers";
    await clock.advance(4000);
    a.link.cut = "no";
    await clock.advance(60_000);
    expect(journal).toEqual(["0 event: a became leader", "0 a works"]);
  });

  test("ends a leader at once that sees another hold the lease", async () => {
    const { clock, server, journal, start } = setUp();
    start("a", 1);
    await clock.advance(1000);
    if (!server.lease) throw new Error("no lease");
    const { metadata, spec } = server.lease;
    server.lease = {
      metadata: { ...metadata, resourceVersion: "900" },
      spec: { ...spec, holderIdentity: "thief" },
    };
    await clock.advance(1000);
    expect(journal.slice(2)).toEqual([
      "2000 a stops",
      "2000 event: a stopped leading",
      "2000 a failed: leader election lost: kube-system/test",
    ]);
    expect(server.lease?.spec?.holderIdentity).toBe("thief");
  });

  test("a jump of wall time neither ends a term nor lets another begin", async () => {
    const { clock, journal, start } = setUp();
    start("a", 1);
    await clock.advance(1);
    start("b", 2);
    for (const jumpMs of [3_600_000, -7_200_000, 86_400_000]) {
      clock.jumpWallTime(jumpMs);
      await clock.advance(30_000);
    }
    expect(journal).toEqual(["0 event: a became leader", "0 a works"]);
  });

  test("a candidate told to stop leaves without having worked", async () => {
    const { clock, server, journal, start } = setUp();
    start("a", 1);
    await clock.advance(1);
    const b = start("b", 2);
    await clock.advance(5000);
    b.stop.abort(new Error("stop"));
    await clock.advance(1);
    await b.ended;
    expect(journal).toEqual(["0 event: a became leader", "0 a works", "5001 b ended"]);
    expect(server.lease?.spec?.holderIdentity).toBe("a");
  });

  test("work that fails ends the term with its error and releases nothing it does not hold", async () => {
    const clock = new VirtualClock();
    const server = new LeaseServer();
    const running = runAsLeader(
      {
        client: server.client(),
        clock,
        random: new SeededRandom(1),
        log: silentLogger,
        metrics: silentMetrics,
        signal: new AbortController().signal,
      },
      { namespace: "kube-system", name: "test", identity: "a", ...times },
      () => Promise.reject(new Error("the work broke")),
    );
    await expect(running).rejects.toThrow("the work broke");
    await clock.advance(1000);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("refuses times with which a leader could outlive its lease", async () => {
    const clock = new VirtualClock();
    const deps = {
      client: new LeaseServer().client(),
      clock,
      random: new SeededRandom(1),
      log: silentLogger,
      metrics: silentMetrics,
      signal: new AbortController().signal,
    };
    const options = { namespace: "kube-system", name: "test", identity: "a", ...times };
    const run = (changed: Partial<typeof times>) => runAsLeader(deps, { ...options, ...changed }, async () => {});
    await expect(run({ leaseDurationMs: 10_000 })).rejects.toThrow("greater than the renew deadline");
    await expect(run({ renewDeadlineMs: 2400 })).rejects.toThrow("greater than 1.2 times the retry period");
  });
});

describe("a fenced client", () => {
  test("reads at any time, but writes only while the term is current", async () => {
    const server = new LeaseServer();
    const lost = new AbortController();
    let current = true;
    const client = fencedClient(server.client() as Client, { isCurrent: () => current, lost: lost.signal });
    const type = {} as Parameters<Client["create"]>[0];
    const lease: Lease = { metadata: { namespace: "kube-system", name: "test" } };
    await client.create(type, lease);
    current = false;
    await expect(client.create(type, lease)).rejects.toThrow("the leader's term is over");
    expect(await client.find(type, { namespace: "kube-system", name: "test" })).toBe(server.lease);
    current = true;
    lost.abort(new LeadershipLost("kube-system/test"));
    await expect(client.create(type, lease)).rejects.toThrow(LeadershipLost);
  });

  test("gives up a write in flight when the lease is lost", async () => {
    const server = new LeaseServer();
    const lost = new AbortController();
    const hanging = server.client({ cut: "hangs" }) as Client;
    const client = fencedClient(hanging, { isCurrent: () => true, lost: lost.signal });
    const writing = client.create({} as Parameters<Client["create"]>[0], { metadata: {} });
    lost.abort(new LeadershipLost("kube-system/test"));
    await expect(writing).rejects.toThrow(LeadershipLost);
  });

  test("tells of the server's return as the client under it does", () => {
    const told: string[] = [];
    const back = new Set<() => void>();
    const onReturn = (handler: () => void) => (back.add(handler), () => back.delete(handler));
    const client = fencedClient({ onReturn } as unknown as Client, {
      isCurrent: () => true,
      lost: new AbortController().signal,
    });
    const stop = client.onReturn(() => told.push("back"));
    for (const tell of back) tell();
    stop();
    for (const tell of back) tell();
    expect(told).toEqual(["back"]);
  });
});
