import { configMaps, namespaces } from "@kintsugi/api";
import { createHttpClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { expect } from "vitest";
import type { ApiServerProcess } from "./api-server-process.ts";
import { putShared, readShared, sharedNamespace } from "./shared-etcd.ts";

/**
 * Expects `count` servers on one etcd to read immediately each other's acknowledged writes, and a
 * killed server to lose nothing and to catch up.
 * @param prepare gets the server whose certificates the others share; undefined for that server
 * itself.
 */
export async function expectSharedWrites(
  count: number,
  prepare: (beside: ApiServerProcess | undefined) => Promise<ApiServerProcess>,
): Promise<void> {
  await using first = await prepare(undefined);
  await first.start();
  const others: ApiServerProcess[] = [];
  for (let i = 1; i < count; i++) others.push(await prepare(first));
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
    // A client that is configured with all servers continues at another server.
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
}
