import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isApiError, leases, namespaces, secrets } from "@kintsugi/api";
import { download } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { EtcdClient } from "@kintsugi/etcd";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { sayWhyNot } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { type ApiServerProcess, prepareApiServer } from "../support/servers/api-server-process.ts";
import { type EtcdProcesses, etcdProgram, startEtcd } from "../support/servers/etcd-process.ts";
import { expectSharedWrites } from "../support/servers/expect-shared-writes.ts";
import { startFaultProxy } from "../support/servers/fault-proxy.ts";
import {
  isServerReady,
  prepareOnEtcd,
  putShared,
  readShared,
  sharedNamespace,
} from "../support/servers/shared-etcd.ts";

const snapshotProgram = join(repository, "apps/api-server/bundle/snapshot-main.mjs");
const lacking = etcdProgram === undefined ? "etcd is not installed" : undefined;

describe.skipIf(sayWhyNot("API servers on etcd", lacking))("API servers on one etcd", { timeout: 120_000 }, () => {
  let etcd: EtcdProcesses;
  beforeAll(async () => {
    etcd = await startEtcd(1);
  }, 60_000);
  afterAll(() => etcd[Symbol.asyncDispose]());

  const prepare = (
    prefix: string,
    options: { beside?: ApiServerProcess; args?: string[]; endpoints?: readonly string[] } = {},
  ) => prepareOnEtcd({ endpoints: etcd.endpoints, prefix, ...options });

  test("three servers show each other's writes immediately, and a killed server does not lose a write", async () => {
    await expectSharedWrites(3, (beside) => prepare("/test/3-servers", beside === undefined ? {} : { beside }));
  });

  test("a server that is cut off from etcd does not return stale data, and recovers by itself", async () => {
    const [endpoint = ""] = etcd.endpoints;
    const [host = "", port] = endpoint.split(":");
    const cutPort = await freePort();
    await using line = await startFaultProxy({
      listen: [{ host: "127.0.0.1", port: cutPort }],
      upstream: () => ({ host, port: Number(port) }),
    });
    await using whole = await prepare("/test/cut");
    await whole.start();
    await using cut = await prepare("/test/cut", { beside: whole, endpoints: [`127.0.0.1:${cutPort}`] });
    await cut.start();
    await whole.client.create(namespaces, { metadata: { name: sharedNamespace } });
    await putShared(whole, "before", "seen");
    expect(await readShared(cut, "before")).toContain("seen");

    const everyone = () => true;
    line.setFault({ stuck: "both" }, everyone);
    await putShared(whole, "during", "unseen");
    const fresh = cut.client.call({
      method: "GET",
      path: `/api/v1/namespaces/${sharedNamespace}/configmaps/during`,
      timeoutMs: 5_000,
    });
    const refused = await fresh.then(
      () => undefined,
      (error: unknown) => error,
    );
    // The rejection is 503, which the client retries until its time limit.
    expect([refused instanceof Error, isApiError(refused, "NotFound")]).toEqual([true, false]);
    const ofMemory = `/api/v1/namespaces/${sharedNamespace}/configmaps?resourceVersion=0`;
    const text = JSON.stringify(await cut.client.call({ method: "GET", path: ofMemory }));
    expect([text.includes("seen"), text.includes("unseen")]).toEqual([true, false]);
    await expect.poll(() => isServerReady(cut), { timeout: 20_000 }).toBe(false);
    expect(await isServerReady(whole)).toBe(true);

    line.mend();
    line.reset(everyone);
    await expect.poll(() => isServerReady(cut), { timeout: 20_000 }).toBe(true);
    expect(await readShared(cut, "during")).toContain("unseen");
  });

  test("encryption at rest seals Secrets in etcd, and every server with the key reads them", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-encryption-"));
    try {
      const file = join(directory, "encryption.yaml");
      const key = Buffer.alloc(32, 7).toString("base64");
      writeFileSync(
        file,
        [
          "apiVersion: apiserver.config.k8s.io/v1",
          "kind: EncryptionConfiguration",
          "resources:",
          "  - resources: [secrets]",
          "    providers:",
          `      - aesgcm: { keys: [{ name: one, secret: ${key} }] }`,
          "      - identity: {}",
        ].join("\n"),
      );
      const args = [`--encryption-provider-config=${file}`];
      await using a = await prepare("/test/sealed", { args });
      await a.start();
      await using b = await prepare("/test/sealed", { beside: a, args });
      await b.start();
      await a.client.create(namespaces, { metadata: { name: sharedNamespace } });
      const content = Buffer.from("plain-content-of-the-secret").toString("base64");
      await a.client.create(secrets, { metadata: { namespace: sharedNamespace, name: "s" }, data: { a: content } });
      expect(await readShared(b, "s", secrets)).toContain(content);
      await putShared(a, "open", "not-sealed");

      const client = new EtcdClient(systemClock, { endpoints: etcd.endpoints });
      const prefix = Buffer.from("/test/sealed/");
      const { kvs } = await client.call<{ kvs: { value: Buffer }[] }>("Range", {
        key: prefix,
        rangeEnd: Buffer.from("/test/sealed0"),
      });
      client.close();
      const has = (text: string) => kvs.some(({ value }) => value.includes(text));
      expect([has(content), has("k8s:enc:aesgcm:v1:one:"), has("not-sealed")]).toEqual([false, true, true]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test("servers list each other, and the Service kubernetes leads to the existing servers", async () => {
    // All servers are on loopback, so each has a different port, and the Service uses one port.
    await using a = await prepare("/test/leases", { args: ["--advertise-address=192.0.2.1"] });
    await a.start();
    await using b = await prepare("/test/leases", { beside: a, args: ["--advertise-address=192.0.2.2"] });
    await b.start();
    const named = async ({ client }: ApiServerProcess) => {
      const { items } = await client.list(leases, { namespace: "kube-system" });
      return items.filter(({ metadata }) => /^apiserver-[a-z2-7]{26}$/.test(metadata.name ?? "")).length;
    };
    await expect.poll(() => named(b), { timeout: 20_000 }).toBe(2);
    const key = { namespace: "kube-system", name: "kintsugi-api-server" };
    const holder = async ({ client }: ApiServerProcess) => (await client.find(leases, key))?.spec?.holderIdentity ?? "";
    await expect.poll(() => holder(b), { timeout: 20_000 }).not.toBe("");
    const before = await holder(b);
    await a.kill();
    await expect.poll(() => holder(b), { timeout: 40_000 }).not.toBe(before);
  });

  test("a snapshot moves a cluster from its data directory to etcd, and back", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-moves-"));
    try {
      const save = async ({ access }: ApiServerProcess, file: string) => {
        const chunks: Uint8Array[] = [];
        const deps = { clock: systemClock, random: systemRandom };
        const path = "/apis/kintsugi.dev/v1alpha1/snapshot";
        for await (const chunk of download(deps, { ...access, userAgent: "kintsugi-test" }, path)) chunks.push(chunk);
        writeFileSync(file, Buffer.concat(chunks));
      };
      const restore = (file: string, ...target: string[]) =>
        spawnSync(process.execPath, [snapshotProgram, "restore", file, ...target], { encoding: "utf8" });
      const toEtcd = [`--etcd-servers=http://${etcd.endpoints[0]}`, "--etcd-prefix=/test/moved"];

      await using embedded = await prepareApiServer();
      await embedded.start();
      await embedded.client.create(namespaces, { metadata: { name: sharedNamespace } });
      for (let i = 0; i < 300; i++) await putShared(embedded, `m${i}`, `v${i}`.repeat(i));
      const uid = (await embedded.client.get(namespaces, { namespace: "", name: sharedNamespace })).metadata.uid;
      const files = [join(directory, "one"), join(directory, "two")] as const;
      await save(embedded, files[0]);
      expect(restore(files[0], ...toEtcd)).toMatchObject({ status: 0, stderr: "" });
      const again = restore(files[0], ...toEtcd);
      expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("choose another --etcd-prefix")]);

      await using onEtcd = await prepare("/test/moved", { beside: embedded });
      await onEtcd.start();
      expect(await readShared(onEtcd, "m299")).toContain("v299v299");
      expect((await onEtcd.client.get(namespaces, { namespace: "", name: sharedNamespace })).metadata.uid).toBe(uid);
      await putShared(onEtcd, "on-etcd", "written there");
      await save(onEtcd, files[1]);

      await using back = await prepareApiServer({ beside: embedded });
      expect(restore(files[1], `--data-dir=${back.dataDirectory}`)).toMatchObject({ status: 0, stderr: "" });
      await back.start();
      expect(await readShared(back, "on-etcd")).toContain("written there");
      expect(await readShared(back, "m299")).toContain("v299v299");
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
