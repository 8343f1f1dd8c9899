import { ApiError, type ConfigMap } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { Journal } from "./write-over-kills.ts";

/**
 * A server of ConfigMaps in memory, which dies at a number of writes; `survive` may return wrong
 * results.
 */
class Server {
  objects = new Map<string, ConfigMap>();
  revision = 0;
  writesLeft = 0;

  readonly client = {
    create: (_: unknown, object: ConfigMap) => this.#put(object),
    update: (_: unknown, object: ConfigMap) => this.#put(object),
    delete: async (_: unknown, { name }: { name: string }) => {
      this.#count();
      this.objects.delete(name);
    },
    list: async () => ({ items: [...this.objects.values()], resourceVersion: String(this.revision) }),
  } as unknown as Pick<Client, "create" | "update" | "delete" | "list">;

  async #put(object: ConfigMap): Promise<ConfigMap> {
    this.#count();
    const kept = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.revision) } };
    this.objects.set(object.metadata.name ?? "", kept);
    return kept;
  }

  #count(): void {
    if (this.writesLeft-- <= 0) throw new Error("the connection has ended");
  }
}

async function lifeAndDeath(afterDeath: (server: Server) => void): Promise<Journal> {
  const server = new Server();
  const journal = new Journal(server.client, new SeededRandom(5));
  for (const death of [1, 2, 3]) {
    server.writesLeft = 500;
    await journal.write();
    afterDeath(server);
    await journal.compare(death);
  }
  return journal;
}

test("a server that keeps all writes has lost nothing", async () => {
  const journal = await lifeAndDeath(() => {});
  expect(journal.lost).toEqual([]);
  expect(journal.acknowledged).toBe(1500);
});

test.each<[string, (server: Server) => void, RegExp]>([
  ["loses one object", ({ objects }) => objects.delete([...objects.keys()][7] ?? ""), /is absent, and ".*" was ack/],
  ["returns to an earlier state", (server) => (server.revision -= 100), /the store is at \d+, before \d+/],
  [
    "has the past of an object",
    ({ objects }) => {
      const [name, object] = [...objects].find(([key]) => key.startsWith("ring-")) ?? ["", undefined];
      if (object !== undefined) objects.set(name, { ...object, data: { text: "older" } });
    },
    /is "older", and/,
  ],
  [
    "invents an object",
    ({ objects }) => objects.set("once-9-9", { metadata: { name: "once-9-9" }, data: { text: "" } }),
    /no writer made once-9-9/,
  ],
])("a server that %s is detected", async (_, afterDeath, message) => {
  expect((await lifeAndDeath(afterDeath)).lost.join("\n")).toMatch(message);
});

test("a rejected write is reported and does not count as silence", async () => {
  const server = new Server();
  server.client.create = () => Promise.reject(new ApiError("Forbidden", "no"));
  const journal = new Journal(server.client, new SeededRandom(1));
  await journal.write();
  expect(journal.lost.join()).toMatch(/a write was refused/);
});
