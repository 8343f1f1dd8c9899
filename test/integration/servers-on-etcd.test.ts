import { systemClock } from "@kintsugi/clock";
import { EtcdClient } from "@kintsugi/etcd";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import type { ApiServerProcess } from "../support/servers/api-server-process.ts";
import { type EtcdProcesses, startEtcd } from "../support/servers/etcd-process.ts";
import { expectSharedWrites } from "../support/servers/expect-shared-writes.ts";
import { prepareOnEtcd } from "../support/servers/shared-etcd.ts";

// Cut connections, encryption, Leases and moves between stores are in test/slow.

const lacking = whyNoPackage("etcd-server");

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

  test("two servers show each other's writes immediately, and a killed server does not lose a write", async () => {
    await expectSharedWrites(2, (beside) => prepare("/test/2-servers", beside === undefined ? {} : { beside }));
  });

  test("a prefix with keys of another program is rejected with a sentence", async () => {
    const client = new EtcdClient(systemClock, { endpoints: etcd.endpoints });
    const other = { requestPut: { key: Buffer.from("/test/taken/pods/a"), value: Buffer.from("mine") } };
    await client.call("Txn", { success: [other] });
    client.close();
    await using server = await prepare("/test/taken");
    await expect(server.start()).rejects.toThrow("choose another --etcd-prefix");
  });
});
