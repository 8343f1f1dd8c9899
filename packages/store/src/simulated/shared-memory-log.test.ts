import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { ReplicatedStore } from "../replicated/replicated-store.ts";
import { CommitTimeout, StoreUnavailable } from "../store.ts";
import { dataOf, putData, putOf } from "../testing/changes.ts";
import { describeReplicasContract } from "../testing/replicas-contract.ts";
import { type MemoryLogConnection, SharedMemoryLog } from "./shared-memory-log.ts";
import { describeStoreContract } from "../testing/store-contract.ts";

describeStoreContract("ReplicatedStore on a log in memory", (deps, options) =>
  ReplicatedStore.open({ ...deps, log: new SharedMemoryLog(deps).connect() }, options),
);
describeReplicasContract("SharedMemoryLog", (deps) => new SharedMemoryLog(deps));

const pod = "core/pods/default/a";

async function twoReplicas(seed = 1) {
  const clock = new VirtualClock();
  const random = new SeededRandom(seed);
  const log = new SharedMemoryLog({ clock, random });
  const open = async (connection: MemoryLogConnection) => ({
    connection,
    store: await ReplicatedStore.open({ log: connection, clock, random }),
  });
  return { clock, random, log, a: await open(log.connect()), b: await open(log.connect()) };
}

test("a replica that is cut off proves nothing and writes nothing, and continues when the cut ends", async () => {
  const { clock, a, b } = await twoReplicas();
  await putData(a.store, pod, 1);
  b.connection.cut();
  await putData(a.store, pod, 2);
  const proof = b.store.fresh().catch((error: unknown) => error);
  const kept = b.store.update(pod, (now) => ({ keep: true, result: dataOf(now) })).catch((error: unknown) => error);
  await clock.advance(3_000);
  expect(await proof).toBeInstanceOf(StoreUnavailable);
  expect(await kept).toBeInstanceOf(StoreUnavailable);
  const write = putData(b.store, pod, "late").catch((error: unknown) => error);
  const queued = putData(b.store, pod, "later").catch((error: unknown) => error);
  await clock.advance(10_000);
  expect([await write, await queued]).toEqual([expect.any(CommitTimeout), expect.any(StoreUnavailable)]);
  expect(dataOf(b.store.find(pod))).toBe(1);
  b.connection.heal();
  await clock.advance(1_000);
  await b.store.fresh();
  expect(dataOf(b.store.find(pod))).toBe(2);
  await putData(b.store, pod, 3);
  await a.store.fresh();
  expect(dataOf(a.store.find(pod))).toBe(3);
});

test("a replica opens although its history takes longer to arrive than a read waits", async () => {
  const { clock, random, log, a } = await twoReplicas();
  for (let value = 1; value <= 12; value++) await putData(a.store, pod, value);
  const slow = log.connect();
  const follow = slow.follow.bind(slow);
  slow.follow = (position, follower) => {
    let [waitMs, isStopped] = [0, false];
    const stop = follow(position, {
      failed: (error) => follower.failed(error),
      commit: (commit, at) => {
        waitMs += 2_000;
        clock.after(waitMs, () => isStopped || follower.commit(commit, at));
      },
    });
    return () => {
      isStopped = true;
      stop();
    };
  };
  const opening = ReplicatedStore.open({ log: slow, clock, random });
  await clock.advance(60_000);
  expect(dataOf((await opening).find(pod))).toBe(12);
  const silent = log.connect();
  silent.follow = () => () => {};
  const failing = ReplicatedStore.open({ log: silent, clock, random }).catch((error: unknown) => error);
  await clock.advance(60_000);
  expect(await failing).toBeInstanceOf(StoreUnavailable);
});

test("a replica that was frozen for a minute writes nothing that it decided earlier", async () => {
  const { clock, a, b } = await twoReplicas();
  await putData(a.store, pod, 1);
  await b.store.fresh();
  b.connection.cut();
  const decided: unknown[] = [];
  const write = b.store
    .update(pod, (now) => {
      decided.push(dataOf(now));
      return dataOf(now) === 1 ? putOf(pod, "old") : { refuse: new Error("it has changed") };
    })
    .catch((error: unknown) => error);
  for (let i = 2; i < 8; i++) {
    await clock.advance(10_000);
    await putData(a.store, pod, i);
  }
  b.connection.heal();
  await clock.advance(2_000);
  await b.store.fresh();
  expect(await write).toBeInstanceOf(CommitTimeout);
  expect(decided[0]).toBe(1);
  expect([dataOf(a.store.find(pod)), dataOf(b.store.find(pod))]).toEqual([7, 7]);
});

test("a lost leader stalls writes, and no write is lost", async () => {
  const { clock, log, a, b } = await twoReplicas();
  log.loseLeader(1_500);
  const writes = [a, b].flatMap(({ store }) =>
    Array.from({ length: 5 }, () => store.update(pod, (now) => putOf(pod, Number(dataOf(now) ?? 0) + 1))),
  );
  await clock.advance(1_400);
  expect(a.store.revision()).toBe(0);
  await clock.advance(3_000);
  await Promise.all(writes);
  await Promise.all([a.store.fresh(), b.store.fresh()]);
  expect([dataOf(a.store.find(pod)), dataOf(b.store.find(pod))]).toEqual([10, 10]);
});

test("a replica whose log has another or an older history exits with a remedy", async () => {
  const { clock, log, a, b } = await twoReplicas();
  await putData(a.store, pod, 1);
  await putData(a.store, pod, 2);
  await b.store.fresh();
  const head = log.head;
  if (head === undefined) throw new Error("the log has begun");
  // Changes arrive later than the next read of the head.
  log.faults = { ...log.faults, followDelayMaxMs: 60_000 };
  log.take({ head: { ...head, historyId: "restored", revision: 1 }, changes: [], mark: undefined });
  await expect(b.store.fresh()).rejects.toThrow("it was restored or has lost data; restart this server");
  await expect(b.store.failed).rejects.toThrow("behind 2 of");
  await clock.advance(60_000);
  await expect(a.store.failed).rejects.toThrow(
    /history restored, not .*: restart this server, which then reads the log again/,
  );
  await expect(putData(a.store, pod, 3)).rejects.toThrow("has to be opened again");
});

test("a replica whose history was compacted fails, and a restarted replica continues", async () => {
  const { clock, log, random, a, b } = await twoReplicas();
  const options = { windowMs: 1_000, windowEventsMin: 0 };
  const c = await ReplicatedStore.open({ log: log.connect(), clock, random }, options);
  b.connection.cut();
  for (let i = 0; i < 5; i++) {
    await clock.advance(61_000);
    await putData(a.store, pod, i);
  }
  await c.fresh();
  await clock.advance(2_000);
  await c.compact();
  b.connection.heal();
  await expect(b.store.failed).rejects.toThrow("no longer has the commits");
  const d = await ReplicatedStore.open({ log: log.connect(), clock, random }, options);
  expect(dataOf(d.find(pod))).toBe(4);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "in run %i with lost appends and responses every increment counts once",
  async (seed) => {
    const { clock, log, a, b } = await twoReplicas(seed);
    log.faults = { lostAnswers: 0.3, lostAppends: 0.2, followDelayMaxMs: 200 };
    const writes: Promise<{ result: unknown }>[] = [];
    for (let round = 0; round < 10; round++) {
      for (const { store } of [a, b]) {
        writes.push(store.update(pod, (now) => ({ ...putOf(pod, Number(dataOf(now) ?? 0) + 1), result: undefined })));
      }
      await clock.advance(300);
    }
    await clock.advance(20_000);
    const answers = await Promise.allSettled(writes);
    const acknowledged = answers.filter(({ status }) => status === "fulfilled").length;
    log.faults = { lostAnswers: 0, lostAppends: 0, followDelayMaxMs: 0 };
    await Promise.all([a.store.fresh(), b.store.fresh()]);
    const counted = Number(dataOf(a.store.find(pod)));
    expect(dataOf(b.store.find(pod))).toBe(counted);
    expect(counted).toBe(a.store.revision());
    expect(counted).toBeGreaterThanOrEqual(acknowledged);
    expect(counted).toBeLessThanOrEqual(writes.length);
    expect(acknowledged).toBeGreaterThan(0);
  },
);
