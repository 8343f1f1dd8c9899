import { configMaps, namespaces } from "@kintsugi/api";
import { createHttpClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { EtcdClient } from "@kintsugi/etcd";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot } from "../support/host-abilities.ts";
import type { ApiServerProcess } from "../support/servers/api-server-process.ts";
import { type EtcdProcesses, etcdProgram, startEtcd } from "../support/servers/etcd-process.ts";
import { prepareOnEtcd, putShared, readShared, sharedNamespace } from "../support/servers/shared-etcd.ts";

// Cut connections, encryption, Leases and moves between stores are in test/slow.

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

  test("two servers show each other's writes at once, and one that is killed loses none", async () => {
    const [prefix, count] = ["/test/2-servers", 2];
    await using first = await prepare(prefix);
    await first.start();
    const others: ApiServerProcess[] = [];
    for (let i = 1; i < count; i++) others.push(await prepare(prefix, { beside: first }));
    try {
      await Promise.all(others.map((server) => server.start()));
      await first.client.create(namespaces, { metadata: { name: sharedNamespace } });
      const servers = [first, ...others];
      for (let i = 0; i < 30; i++) {
        const [writer, reader] = [servers[i % count], servers[(i + 1) % count]];
        if (writer === undefined || reader === undefined) throw new Error("there are servers");
        await putShared(writer, `m${i}`, `v${i}`);
        expect(await readShared(reader, `m${i}`)).toContain(`v${i}`);
      }
      await first.kill();
      const [second] = others;
      if (second === undefined) throw new Error("there is a second server");
      await putShared(second, "afterwards", "there");
      // A client that knows all servers goes on at another one.
      const client = createHttpClient(
        { clock: systemClock, random: systemRandom },
        { ...first.access, servers: servers.map(({ access }) => access.server), userAgent: "kintsugi-test" },
      );
      expect((await client.get(configMaps, { namespace: sharedNamespace, name: "afterwards" })).data).toEqual({
        value: "there",
      });
      await client.close();
      const list = await second.client.list(configMaps, { namespace: sharedNamespace });
      const names = new Set(list.items.map(({ metadata }) => metadata.name));
      for (let i = 0; i < 30; i++) expect(names).toContain(`m${i}`);
      await first.start();
      expect(await readShared(first, "afterwards")).toContain("there");
    } finally {
      for (const server of others) await server[Symbol.asyncDispose]();
    }
  });

  test("a prefix with keys of another program is refused with a sentence", async () => {
    const client = new EtcdClient(systemClock, { endpoints: etcd.endpoints });
    const other = { requestPut: { key: Buffer.from("/test/taken/pods/a"), value: Buffer.from("mine") } };
    await client.call("Txn", { success: [other] });
    client.close();
    await using server = await prepare("/test/taken");
    await expect(server.start()).rejects.toThrow("choose another --etcd-prefix");
  });
});
