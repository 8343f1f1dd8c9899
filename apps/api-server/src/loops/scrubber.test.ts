import { type Labels, silentLogger, silentMetrics } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { LevelStore, StoreCorrupt } from "@kintsugi/store";
import { putData } from "@kintsugi/store/testing";
import { SimulatedDisk } from "@kintsugi/store/simulated";
import { expect, test } from "vitest";
import { createApiServer } from "../factory.ts";

const minute = 60_000;

async function startServer(scrubIntervalMs: number) {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const disk = new SimulatedDisk({ random });
  const store = await LevelStore.openOn(disk, { clock, random }, { ballastBytes: 0 });
  const scrubs: Labels[] = [];
  const metrics = {
    ...silentMetrics,
    counter: ({ name }: { name: string }) => ({
      add: (_: number, labels: Labels = {}) => {
        if (name === "kintsugi_store_scrubs_total") scrubs.push(labels);
      },
      remove: () => {},
    }),
  };
  const server = createApiServer({ store, clock, random, log: silentLogger, metrics }, { scrubIntervalMs });
  const stop = new AbortController();
  const ended = server.run(stop.signal).catch((error: unknown) => error);
  await server.ready;
  return { clock, disk, store, scrubs, stop, ended };
}

test("the whole store is read at every interval", async () => {
  const { clock, scrubs, stop, ended } = await startServer(10 * minute);
  await clock.advance(25 * minute);
  expect(scrubs).toEqual([{ result: "ok" }, { result: "ok" }]);
  stop.abort();
  expect(await ended).toBeUndefined();
});

test("a server whose disk has lost a record exits with the record's name, and does not write again", async () => {
  const { clock, disk, store, scrubs, ended } = await startServer(10 * minute);
  const [name, bytes] = [...disk.records].at(-1) ?? [];
  if (!name || !bytes) throw new Error("there is no record to damage");
  disk.records.set(name, Buffer.from(bytes).fill(0, 60, 61));
  await clock.advance(9 * minute);
  expect(scrubs).toEqual([]);
  await clock.advance(minute);
  const error = await ended;
  expect(error).toMatchObject({ message: expect.stringContaining(name), cause: expect.any(StoreCorrupt) });
  expect(scrubs).toEqual([{ result: "corrupt" }]);
  await expect(putData(store, "core/pods/default/a", 1)).rejects.toThrow("the store failed");
});

test("without an interval the store is not read", async () => {
  const { clock, scrubs, stop, ended } = await startServer(0);
  await clock.advance(300 * minute);
  expect(scrubs).toEqual([]);
  stop.abort();
  expect(await ended).toBeUndefined();
});
