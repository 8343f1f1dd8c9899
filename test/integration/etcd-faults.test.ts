import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { EtcdClient, EtcdLog, type EtcdTls } from "@kintsugi/etcd";
import { type Authority, createAuthority } from "@kintsugi/pki";
import { LogUnreachable, ReplicatedStore, StoreFull } from "@kintsugi/store";
import { dataOf, deleteKey, putData, putOf } from "@kintsugi/store/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { type EtcdProcesses, startEtcd } from "../support/servers/etcd-process.ts";

const lacking = whyNoPackage("etcd-server");
const pki = { clock: systemClock, random: systemRandom };
const pod = (name: string) => `core/pods/default/${name}`;

function open(
  { endpoints }: EtcdProcesses,
  options: { prefix?: string; tls?: EtcdTls; quotaBytes?: number } = {},
): Promise<ReplicatedStore> {
  const { prefix = "/test/store", tls, quotaBytes } = options;
  const client = new EtcdClient(systemClock, { endpoints, tls });
  const room = quotaBytes === undefined ? {} : { quotaBytes };
  const log = new EtcdLog({ client, clock: systemClock }, { prefix, ...room });
  return ReplicatedStore.open({ log, clock: systemClock, random: systemRandom });
}

describe.skipIf(sayWhyNot("etcd with certificates", lacking))(
  "an etcd that authenticates clients by certificates",
  () => {
    let etcd: EtcdProcesses;
    let directory: string;
    let right: EtcdTls;
    let stranger: EtcdTls;

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), "kintsugi-etcd-tls-"));
      const file = (name: string, text: string) => {
        writeFileSync(join(directory, name), text, { mode: 0o600 });
        return join(directory, name);
      };
      const [authority, other] = [await createAuthority(pki, "etcd-ca"), await createAuthority(pki, "stranger")];
      const member = await authority.issue({
        commonName: "etcd",
        usages: ["client", "server"],
        ipAddresses: ["127.0.0.1"],
      });
      right = await clientOf(authority);
      stranger = await clientOf(other);
      etcd = await startEtcd(1, {
        tls: {
          certFile: file("member.crt", member.certificate),
          keyFile: file("member.key", member.key),
          caFile: file("ca.crt", authority.certificate),
        },
      });
    }, 60_000);
    afterAll(async () => {
      await etcd[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    });

    test("accepts a client certificate of its authority", async () => {
      const store = await open(etcd, { tls: right });
      await putData(store, pod("a"), 1);
      await store.fresh();
      expect(dataOf(store.find(pod("a")))).toBe(1);
      await store.close();
    });

    test.each([
      ["a client of another authority", () => ({ ...stranger, ca: right.ca })],
      ["a member of another authority", () => ({ ...right, ca: stranger.ca })],
    ])("%s is rejected with a sentence that names the flags", async (_, tls) => {
      const refused = open(etcd, { tls: tls() });
      await expect(refused).rejects.toThrow(LogUnreachable);
      await expect(open(etcd, { tls: tls() })).rejects.toThrow("--etcd-cafile, --etcd-certfile and --etcd-keyfile");
    });

    test("rejects a client without TLS", async () => {
      await expect(open(etcd)).rejects.toThrow(LogUnreachable);
    });
  },
);

describe.skipIf(sayWhyNot("etcd without room", lacking))("an etcd without free space", () => {
  const large = "x".repeat(1_000_000);

  test(
    "rejects low-priority writes before it is full, and accepts deletes and Leases",
    { timeout: 60_000 },
    async () => {
      await using etcd = await startEtcd(1);
      const store = await open(etcd, { quotaBytes: 8 * 2 ** 20 });
      const names: string[] = [];
      const fill = async (): Promise<unknown> => {
        for (let i = 0; i < 400; i++) {
          const refused = await putData(store, pod(`p${i}`), `${i}${large}`).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (refused !== undefined) return refused;
          names.push(`p${i}`);
          await systemClock.sleep(100);
        }
        return undefined;
      };
      expect(await fill()).toBeInstanceOf(StoreFull);
      await store.update(pod("lease"), () => putOf(pod("lease"), "renewed"), { important: true });
      for (const name of names) await deleteKey(store, pod(name));
      await expect(putData(store, pod("q"), large)).rejects.toBeInstanceOf(StoreFull);
      expect(store.count("core/pods/")).toBe(1);
      await store.close();
    },
  );

  test("at its quota is reported with the remedy, and stays readable", { timeout: 60_000 }, async () => {
    await using etcd = await startEtcd(1, { quotaBytes: 4 * 2 ** 20 });
    const store = await open(etcd);
    await putData(store, pod("kept"), 1);
    const fill = async () => {
      for (let i = 0; i < 20; i++) await putData(store, pod(`p${i}`), `${i}${large}`);
    };
    await expect(fill()).rejects.toThrow("etcdctl alarm disarm");
    await expect(putData(store, pod("another"), 1)).rejects.toBeInstanceOf(StoreFull);
    await store.fresh();
    expect(dataOf(store.find(pod("kept")))).toBe(1);
    await store.close();
  });
});

async function clientOf(authority: Authority): Promise<EtcdTls> {
  const pair = await authority.issue({ commonName: "api-server-etcd-client", usages: ["client"] });
  return {
    ca: Buffer.from(authority.certificate),
    cert: Buffer.from(pair.certificate),
    key: Buffer.from(pair.key),
  };
}
