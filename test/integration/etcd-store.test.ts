import { systemClock, systemRandom } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { EtcdClient, EtcdLog } from "@kintsugi/etcd";
import { CommitTimeout, LogUnreachable, ReplicatedStore, StoreUnavailable } from "@kintsugi/store";
import { dataOf, putData } from "@kintsugi/store/testing";
import { describeStoreContract } from "@kintsugi/store/testing/contract";
import { describeReplicasContract } from "@kintsugi/store/testing/replicas-contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { type EtcdProcesses, startEtcd } from "../support/servers/etcd-process.ts";

const lacking = whyNoPackage("etcd-server");

describe.skipIf(sayWhyNot("the store on etcd", lacking))("on real etcd", () => {
  let one: EtcdProcesses;
  let prefixes = 0;
  beforeAll(async () => {
    one = await startEtcd(1);
  }, 60_000);
  afterAll(() => one[Symbol.asyncDispose]());

  const newPrefix = () => `/test/${++prefixes}`;
  const connect = (prefix: string, endpoints = one.endpoints) =>
    new EtcdLog({ client: new EtcdClient(systemClock, { endpoints }), clock: systemClock }, { prefix });

  describeStoreContract("ReplicatedStore on etcd", (deps, options) =>
    ReplicatedStore.open({ ...deps, log: connect(newPrefix()) }, options),
  );
  describeReplicasContract("EtcdLog", () => {
    const prefix = newPrefix();
    return { connect: () => connect(prefix) };
  });

  const pod = "core/pods/default/a";
  const open = (prefix: string, endpoints = one.endpoints) =>
    ReplicatedStore.open({ log: connect(prefix, endpoints), clock: systemClock, random: systemRandom });

  test("a key of another program under the prefix is rejected with a sentence", async () => {
    const prefix = newPrefix();
    const client = new EtcdClient(systemClock, { endpoints: one.endpoints });
    const put = { requestPut: { key: Buffer.from(`${prefix}/head`), value: Buffer.from("mine") } };
    await client.call("Txn", { success: [put] });
    client.close();
    await expect(open(prefix)).rejects.toThrow("choose another --etcd-prefix");
  });

  test("an unreachable etcd is reported", async () => {
    await expect(open("/test/none", ["127.0.0.1:1"])).rejects.toThrow(LogUnreachable);
  });

  test("compaction removes final states and marks that are not needed by a replica", async () => {
    const clock = new VirtualClock();
    const random = new SeededRandom(3);
    const prefix = newPrefix();
    const options = { windowMs: 1_000, windowEventsMin: 0 };
    const store = await ReplicatedStore.open({ log: connect(prefix), clock, random }, options);
    for (let i = 0; i < 4; i++) {
      await putData(store, pod, i);
      await store.update(pod, (now) => ({ delete: objectOf(now?.value), index: { uid: "u" }, result: undefined }));
      await clock.advance(61_000);
    }
    await putData(store, pod, "last");
    const { removed } = await store.compact();
    expect(removed).toBeGreaterThan(4);
    const fresh = await ReplicatedStore.open({ log: connect(prefix), clock, random }, options);
    expect(dataOf(fresh.find(pod))).toBe("last");
    expect(fresh.lastRevisionOf("core/pods")).toBe(9);
    await Promise.all([store.close(), fresh.close()]);
  });

  test(
    "an acknowledged write survives the loss of one of three members, the leader or not",
    { timeout: 120_000 },
    async () => {
      await using etcd = await startEtcd(3);
      const prefix = newPrefix();
      // The first member of each replica differs, as on three machines.
      const rotated = etcd.endpoints.map((_, i) => [...etcd.endpoints.slice(i), ...etcd.endpoints.slice(0, i)]);
      const stores = await Promise.all(rotated.map((endpoints) => open(prefix, endpoints)));
      let next = 0;
      const acknowledged: number[] = [];
      const failures: unknown[] = [];
      let isOver = false;
      const writers = stores.map(async (store) => {
        while (!isOver) {
          const value = ++next;
          try {
            await putData(store, `core/pods/default/${value}`, value);
            acknowledged.push(value);
          } catch (error) {
            failures.push(error);
          }
        }
      });
      for (let member = 0; member < 3; member++) {
        await systemClock.sleep(500);
        await etcd.kill(member);
        const before = acknowledged.length;
        await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(before + 20);
        await etcd.start(member);
      }
      isOver = true;
      await Promise.all(writers);
      for (const store of stores) {
        await expect.poll(() => store.fresh().then(() => true), { timeout: 10_000 }).toBe(true);
        const found = acknowledged.filter((value) => dataOf(store.find(`core/pods/default/${value}`)) !== value);
        expect(found).toEqual([]);
        expect(await store.scrub()).toEqual({ records: store.count("") });
      }
      // An election may take longer on a busy machine than a write waits; no other failure is
      // allowed.
      const isLate = (error: unknown) => error instanceof CommitTimeout || error instanceof StoreUnavailable;
      expect(failures.filter((error) => !isLate(error))).toEqual([]);
      await Promise.all(stores.map((store) => store.close()));
    },
  );
});

/** The parts of an object's bytes around its resourceVersion. */
function objectOf(value: Uint8Array | undefined) {
  const [head = "", tail = ""] = Buffer.from(value ?? [])
    .toString()
    .split(/(?<="resourceVersion":")\d+/);
  return { head: Buffer.from(head), tail: Buffer.from(tail) };
}
