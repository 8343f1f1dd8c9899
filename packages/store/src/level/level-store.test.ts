import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { afterEach, describe, expect, test } from "vitest";
import { OutcomeUnknown, StoreCorrupt, StoreFull, StoreInUse } from "../store.ts";
import { dataOf, deleteKey, putData } from "../testing/changes.ts";
import { describeStoreContract } from "../testing/store-contract.ts";
import { LevelStore, type LevelStoreOptions } from "./level-store.ts";

const mebibyte = 2 ** 20;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function tempDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-store-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function openIn(directory: string, options: LevelStoreOptions = {}): Promise<LevelStore> {
  const store = await LevelStore.open({
    directory,
    clock: systemClock,
    random: systemRandom,
    ballastBytes: 0,
    ballastDelayMs: 0,
    ...options,
  });
  cleanups.push(() => store.close().catch(() => {}));
  return store;
}

describeStoreContract("LevelStore", async (deps, options) => {
  return LevelStore.open({ ...deps, ...options, directory: await tempDirectory(), ballastBytes: 0 });
});

describe("LevelStore on a real disk", () => {
  test("written data is present after reopening, including IDs and history", async () => {
    const directory = join(await tempDirectory(), "made", "when", "missing");
    const first = await openIn(directory);
    await putData(first, "core/pods/default/a", "1");
    await putData(first, "core/pods/default/a", "2");
    await putData(first, "core/pods/default/b", "3");
    await deleteKey(first, "core/pods/default/b");
    await first.close();
    const second = await openIn(directory);
    expect([second.clusterId, second.historyId]).toEqual([first.clusterId, first.historyId]);
    expect(second.revision()).toBe(4);
    expect(second.list("").entries).toEqual(first.list("").entries);
    expect(second.changesSince("core/pods", 0)).toEqual(first.changesSince("core/pods", 0));
  });

  test("only the owner may read the data directory", async () => {
    const directory = join(await tempDirectory(), "data");
    await openIn(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, "HEAD"))).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).sort()).toEqual(["HEAD", "log"]);
  });

  test("a data directory that others could read is made private when it is opened, except for the target of a link", async () => {
    const parent = await tempDirectory();
    const [directory, elsewhere] = [join(parent, "data"), join(parent, "elsewhere")];
    await (await openIn(directory)).close();
    await writeFile(elsewhere, "", { mode: 0o644 });
    await symlink(elsewhere, join(directory, "link"));
    const inside = (await readdir(directory, { recursive: true })).filter((name) => name !== "link");
    for (const name of inside) await chmod(join(directory, name), 0o777);
    await chmod(directory, 0o755);
    await openIn(directory);
    for (const name of ["", ...(await readdir(directory, { recursive: true }))].filter((each) => each !== "link"))
      expect([name, (await stat(join(directory, name))).mode & 0o077]).toEqual([name, 0]);
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o644);
  });

  test("a second opening is rejected while the first lasts", async () => {
    const directory = await tempDirectory();
    const first = await openIn(directory);
    const second = openIn(directory);
    await expect(second).rejects.toThrow(StoreInUse);
    await expect(second).rejects.toThrow("in use by another process");
    await putData(first, "core/pods/default/a", "still works");
    await first.close();
    expect((await openIn(directory)).revision()).toBe(1);
  });

  test("another user's directory is rejected and not changed", async () => {
    const directory = await tempDirectory();
    await writeFile(join(directory, "notes.txt"), "mine");
    await expect(openIn(directory)).rejects.toThrow("is neither empty nor a Kintsugi store: it contains notes.txt");
    expect(await readdir(directory)).toEqual(["notes.txt"]);
  });

  test("an empty file system root with lost+found is accepted", async () => {
    const directory = await tempDirectory();
    await mkdir(join(directory, "lost+found"));
    expect((await openIn(directory)).revision()).toBe(0);
  });

  test.each([
    ["table", /\.ldb$/],
    ["CURRENT", /^CURRENT$/],
    ["MANIFEST", /^MANIFEST/],
  ])("a log with a lost %s is rejected", async (_, lost) => {
    const directory = await tempDirectory();
    const store = await openIn(directory, { windowMs: 0, windowEventsMin: 0 });
    for (let i = 0; i < 3; i++) await putData(store, "core/pods/default/a", i);
    await store.compact();
    await store.close();
    const names = (await readdir(join(directory, "log"))).filter((name) => lost.test(name));
    expect(names).not.toEqual([]);
    for (const name of names) await rm(join(directory, "log", name));
    await expect(openIn(directory)).rejects.toThrow(StoreCorrupt);
  });

  test("a lost log is rejected", async () => {
    const directory = await tempDirectory();
    await (await openIn(directory)).close();
    await rm(join(directory, "log"), { recursive: true });
    await expect(openIn(directory)).rejects.toThrow("the log is lost");
  });

  test("scrubbing during writes and compactions finds every record as it was written", async () => {
    const store = await openIn(await tempDirectory(), { windowMs: 0, windowEventsMin: 100 });
    const random = systemRandom;
    let next = 0;
    const writer = async () => {
      while (next++ < 6000) await putData(store, `core/pods/default/${random.integer(300)}`, "x".repeat(300));
    };
    const keeper = async () => {
      while (next < 6000) {
        await store.compact();
        await store.scrub();
      }
    };
    await Promise.all([keeper(), ...Array.from({ length: 32 }, writer)]);
    const { records } = await store.scrub();
    expect(records).toBeGreaterThanOrEqual(store.count(""));
    expect(records).toBeLessThan(3000);
  });

  test("the ballast file is not created while a server starts, and never after it has closed", async () => {
    const directory = await tempDirectory();
    const clock = new VirtualClock();
    const deps = { directory, clock, random: systemRandom, ballastBytes: mebibyte, ballastDelayMs: 1000 };
    const first = await LevelStore.open(deps);
    await clock.advance(999);
    await first.close();
    await clock.advance(1000);
    expect(await readdir(directory)).not.toContain("ballast");
    const second = await LevelStore.open(deps);
    await clock.advance(1000);
    await second.close();
    expect(await readdir(directory)).toContain("ballast");
  });

  test("the ballast file is created in the background and is removed when the disk is full", async () => {
    const directory = await tempDirectory();
    const store = await openIn(directory, { ballastBytes: 3 * mebibyte });
    await store.close();
    expect((await stat(join(directory, "ballast"))).blocks * 512).toBeGreaterThanOrEqual(3 * mebibyte);
    const full = await openIn(directory, { ballastBytes: 3 * mebibyte, freeBytesMin: Number.MAX_SAFE_INTEGER });
    await expect(putData(full, "core/pods/default/a", 1)).rejects.toThrow(StoreFull);
    expect(await readdir(directory)).not.toContain("ballast");
  });
});

const cannotMount = process.getuid?.() === 0 ? false : "only root can mount a small file system";

describe.skipIf(cannotMount)(`LevelStore on a small disk${cannotMount ? ` (skipped: ${cannotMount})` : ""}`, () => {
  async function smallDisk(megabytes: number): Promise<string> {
    const directory = await tempDirectory();
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", directory]);
    cleanups.push(() => execFileSync("umount", [directory]));
    return directory;
  }

  /** Writes until the store rejects a write; returns the acknowledged writes and the rejection. */
  async function fill(store: LevelStore): Promise<{ acked: Map<string, string>; error: unknown }> {
    const acked = new Map<string, string>();
    for (let i = 0; ; i++) {
      const key = `core/configmaps/default/${i % 200}`;
      // LevelDB compresses, so the data has to be noise.
      const data = `${i}-${Buffer.from(systemRandom.bytes(40_000)).toString("base64")}`;
      try {
        await putData(store, key, data);
        acked.set(key, data);
      } catch (error) {
        return { acked, error };
      }
    }
  }

  test(
    "before the disk is full ordinary writes are rejected, deletes and reads continue, and compaction frees space",
    { timeout: 30_000 },
    async () => {
      // LevelDB itself needs room to turn its log into tables, so the margin is a few times its
      // write buffer.
      const options = { freeBytesMin: 50 * mebibyte, ballastBytes: 20 * mebibyte, windowMs: 0, windowEventsMin: 0 };
      const store = await openIn(await smallDisk(128), options);
      const { acked, error } = await fill(store);
      expect(error).toBeInstanceOf(StoreFull);
      expect(store.list("").entries).toHaveLength(acked.size);
      for (const key of acked.keys()) await deleteKey(store, key);
      await store.compact();
      await expect(putData(store, "core/configmaps/default/new", "fits again")).resolves.toBeDefined();
    },
  );

  test("a disk that fills up in spite of this ends the store, and nothing acknowledged is lost once space is free", async () => {
    const directory = await smallDisk(24);
    const store = await openIn(directory, { freeBytesMin: 0, ballastBytes: 4 * mebibyte });
    const { acked, error } = await fill(store);
    expect(error).toBeInstanceOf(OutcomeUnknown);
    await expect(store.failed).rejects.toThrow(OutcomeUnknown);
    await store.close();
    // The supervisor restarts the process, and the ballast provides the room to open the store.
    execFileSync("mount", ["-o", "remount,size=64m", directory]);
    const reopened = await openIn(directory, { freeBytesMin: 0 });
    for (const [key, data] of acked)
      expect(dataOf(reopened.find(key)) === data || key === lastKey(reopened)).toBe(true);
    await expect(putData(reopened, "core/configmaps/default/new", 1)).resolves.toBeDefined();
  });

  /** The only write with an unknown outcome may have replaced an acknowledged write. */
  function lastKey(store: LevelStore): string | undefined {
    return store.list("").entries.reduce((a, b) => (a.revision > b.revision ? a : b)).key;
  }
});
