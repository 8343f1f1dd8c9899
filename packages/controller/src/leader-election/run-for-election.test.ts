import { ApiError, type ApiObject, type Lease, silentLogger, silentMetrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { fencedClient } from "./fenced-client.ts";
import { type Leadership, LeadershipLost, type LeaderWork, runForElection } from "./run-for-election.ts";

type LeaseClient = Pick<Client, "find" | "create" | "update" | "onReturn">;

interface Link {
  cut: "no" | "refuses" | "hangs" | "loses answers";
  /** The callbacks that run when the server is back. */
  readonly waiting: Set<() => void>;
}

const whole = (): Link => ({ cut: "no", waiting: new Set() });

/** Brings the server back, and runs the callbacks that wait for it. */
function mend(link: Link): void {
  link.cut = "no";
  for (const tell of link.waiting) tell();
}

/** Returns the times of the lines of a journal that end with `suffix`. */
function timesOf(journal: readonly string[], suffix: string): number[] {
  return journal.filter((line) => line.endsWith(suffix)).map((line) => Number(line.split(" ")[0]));
}

/** One Lease behind optimistic concurrency, with a switch per client that cuts it off. */
class LeaseServer {
  lease: Lease | undefined;
  #revision = 0;

  client(link: Link = whole()): LeaseClient {
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
      onReturn: (handler) => (link.waiting.add(handler), () => link.waiting.delete(handler)),
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

  const start = (identity: string, seed: number, atTheEnd: () => Promise<void> = async () => {}) => {
    const link = whole();
    const stop = new AbortController();
    const leaderships: Leadership[] = [];
    const work: LeaderWork = async (signal, leadership) => {
      leaderships.push(leadership);
      note(`${identity} works`);
      await never(signal).catch(() => note(`${identity} stops`));
      await atTheEnd();
    };
    const ended = runForElection(
      {
        client: server.client(link),
        clock,
        random: new SeededRandom(seed),
        log: silentLogger,
        metrics: silentMetrics,
        recordEvent: (_lease, message) => note(`event: ${message}`),
      },
      { namespace: "kube-system", name: "test", identity, ...times },
      (lead) => lead(stop.signal, work),
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
  test("lets the first candidate work immediately, and the second waits", async () => {
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
    "ends the term of a leader whose API %s by the renew deadline, before another process may lead",
    async (cut) => {
      const { clock, journal, start } = setUp();
      const a = start("a", 1);
      await clock.advance(1);
      start("b", 2);
      await clock.advance(20_000);
      const cutAtMs = clock.monotonicMs();
      a.link.cut = cut;
      await clock.advance(60_000);
      const at = (suffix: string) => timesOf(journal, suffix)[0] ?? Number.NaN;
      expect(at("a stops")).toBeLessThanOrEqual(cutAtMs + times.renewDeadlineMs);
      expect(at("a stopped leading")).toBe(at("a stops"));
      expect(at("b works") - at("a stops")).toBeGreaterThanOrEqual(times.leaseDurationMs - times.renewDeadlineMs);
      a.link.cut = "no";
      await clock.advance(60_000);
      expect(journal.filter((line) => line.endsWith("works"))).toHaveLength(2);
    },
  );

  test("leads again as soon as the API returns, if no other process can have led in the meantime", async () => {
    const { clock, server, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(20_000);
    a.link.cut = "refuses";
    await clock.advance(60_000);
    mend(a.link);
    await clock.advance(60_000);
    expect(journal.slice(1).filter((line) => !line.includes("event"))).toEqual([
      "0 a works",
      "30000 a stops",
      "80000 a works",
    ]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 0 });
    const [first, second] = a.leaderships;
    expect([first?.isCurrent(), second?.isCurrent()]).toEqual([false, true]);
  });

  test("lets the Lease of a lost term expire before it leads again", async () => {
    const { clock, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(20_000);
    a.link.cut = "refuses";
    await clock.advance(times.renewDeadlineMs);
    mend(a.link);
    await clock.advance(60_000);
    const works = journal.filter((line) => line.endsWith("works"));
    expect(works).toEqual(["0 a works", `${20_000 + times.leaseDurationMs} a works`]);
  });

  test("waits like any candidate if another process has led in the meantime", async () => {
    const { clock, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(1);
    const b = start("b", 2);
    await clock.advance(20_000);
    a.link.cut = "refuses";
    await clock.advance(40_000);
    b.link.cut = "refuses";
    await clock.advance(5000);
    mend(a.link);
    await clock.advance(60_000);
    const [, again = 0] = timesOf(journal, "a works");
    expect(again - 65_001).toBeGreaterThanOrEqual(times.leaseDurationMs);
  });

  test("ends with an error when the work of a lost term does not end", async () => {
    const { clock, journal, start } = setUp();
    const a = start("a", 1, () => new Promise(() => {}));
    await clock.advance(20_000);
    a.link.cut = "refuses";
    await clock.advance(60_000);
    const limitMs = times.leaseDurationMs - times.renewDeadlineMs;
    expect(journal.at(-1)).toMatch(new RegExp(`^${30_000 + limitMs} a failed: leader election lost: .*does not end$`));
    await expect(a.ended).rejects.toThrow(LeadershipLost);
  });

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

  test("renews as soon as the server returns", async () => {
    const { clock, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(20_000);
    a.link.cut = "refuses";
    await clock.advance(9000);
    mend(a.link);
    await clock.advance(0);
    a.link.cut = "refuses";
    await clock.advance(9000);
    expect(journal).toEqual(["0 event: a became leader", "0 a works"]);
  });

  test("continues after a renewal whose response was lost, by reading the lease", async () => {
    const { clock, journal, start } = setUp();
    const a = start("a", 1);
    await clock.advance(2500);
    a.link.cut = "loses answers";
    await clock.advance(4000);
    a.link.cut = "no";
    await clock.advance(60_000);
    expect(journal).toEqual(["0 event: a became leader", "0 a works"]);
  });

  test("ends the term immediately if another process holds the lease, and waits for its expiry", async () => {
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
    expect(journal.slice(2)).toEqual(["2000 a stops", "2000 event: a stopped leading"]);
    await clock.advance(times.leaseDurationMs - 1);
    expect(server.lease?.spec?.holderIdentity).toBe("thief");
    await clock.advance(60_000);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 1 });
  });

  test("ignores a jump of wall time for the end and the start of terms", async () => {
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

  test("ends a candidate that is stopped without having worked", async () => {
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

  test("ends the term with the error of its work, and releases only its own lease", async () => {
    const clock = new VirtualClock();
    const server = new LeaseServer();
    const running = runForElection(
      {
        client: server.client(),
        clock,
        random: new SeededRandom(1),
        log: silentLogger,
        metrics: silentMetrics,
      },
      { namespace: "kube-system", name: "test", identity: "a", ...times },
      (lead) => lead(new AbortController().signal, () => Promise.reject(new Error("the work broke"))),
    );
    await expect(running).rejects.toThrow("the work broke");
    await clock.advance(1000);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("rejects times with which a leader could outlive its lease", async () => {
    const clock = new VirtualClock();
    const deps = {
      client: new LeaseServer().client(),
      clock,
      random: new SeededRandom(1),
      log: silentLogger,
      metrics: silentMetrics,
    };
    const options = { namespace: "kube-system", name: "test", identity: "a", ...times };
    const run = (changed: Partial<typeof times>) => runForElection(deps, { ...options, ...changed }, async () => {});
    await expect(run({ leaseDurationMs: 10_000 })).rejects.toThrow("greater than the renew deadline");
    await expect(run({ renewDeadlineMs: 2400 })).rejects.toThrow("greater than 1.2 times the retry period");
  });
});

describe("a fenced client", () => {
  const over = new Error("the term is over: kube-system/test");

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
    lost.abort(over);
    await expect(client.create(type, lease)).rejects.toThrow(over);
  });

  test("aborts a write in flight when the lease is lost", async () => {
    const server = new LeaseServer();
    const lost = new AbortController();
    const hanging = server.client({ ...whole(), cut: "hangs" }) as Client;
    const client = fencedClient(hanging, { isCurrent: () => true, lost: lost.signal });
    const writing = client.create({} as Parameters<Client["create"]>[0], { metadata: {} });
    lost.abort(over);
    await expect(writing).rejects.toThrow(over);
  });

  test("reports the server's return as its underlying client does", () => {
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
