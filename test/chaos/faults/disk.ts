import { execFile } from "node:child_process";
import { cp, open, readdir, readFile, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isRunning, killNow, openFiles, trace, type Tracing } from "../cluster/processes.ts";
import { atOnce, between, type Fault, type Injected, nothingToUndo, pick, type World } from "./fault.ts";

const run = promisify(execFile);

/** The faults of the disk under the store. */
export const diskFaults: readonly Fault[] = [
  // The store rejects objects when less than 64 MiB of space is free, and reports that.
  fullDisk("the disk is nearly full", 40 * 2 ** 20),
  fullDisk("the disk is full", 0),
  tracedFault("syncing the log fails", { calls: "fdatasync", on: logFile, inject: "error=EIO:when=3" }),
  tracedFault("writing to the log fails", { calls: "write", on: logFile, inject: "error=EIO:when=5" }),
  // HEAD is written through, so a write includes its sync.
  tracedFault("writing HEAD fails", { calls: "pwrite64", on: headFile, inject: "error=EIO:when=3" }),
  {
    name: "the disk is slow",
    family: "disk",
    lastsMs: { min: 4_000, max: 10_000 },
    keeps: "pods",
    async inject({ cluster }) {
      const pid = await cluster.pid("api-server");
      const tracing = await trace(pid, { calls: "fdatasync", on: logFile(pid), inject: "delay_enter=300000" });
      return { onto: "300 ms for each sync", undo: () => tracing.stop() };
    },
  },
  { name: "a bit of the store flips", family: "disk", lastsMs: atOnce, alone: true, keeps: "pods", inject: flipBit },
];

function logFile(pid: number): string[] {
  return openFiles(pid, (path) => /\/store\/log\/\d+\.log$/.test(path));
}

function headFile(pid: number): string[] {
  return openFiles(pid, (path) => path.endsWith("/store/HEAD"));
}

/** Usually a few commits reach the call much earlier, unless the machine is very busy. */
const reachMaxMs = 20_000;

/**
 * The api-server must exit at its first failed call, because the outcome of its writes is unknown
 * until a restart.
 */
function tracedFault(name: string, call: { calls: string; on(pid: number): string[]; inject: string }): Fault {
  return {
    name,
    family: "disk",
    lastsMs: atOnce,
    keeps: "pods",
    async inject({ cluster }): Promise<Injected> {
      const pid = await cluster.pid("api-server");
      const on = call.on(pid);
      if (on.length === 0) return { notInjected: "the api-server has not opened that file" };
      const tracing: Tracing = await trace(pid, { ...call, on });
      await Promise.race([tracing.ended, new Promise((resolve) => setTimeout(resolve, reachMaxMs))]);
      await tracing.stop();
      if (isRunning(pid)) return { notInjected: "the api-server did not come to that call" };
      return { onto: "the api-server", undo: nothingToUndo };
    },
  };
}

/**
 * Another program's file uses the free room of the store's disk, except `leaveBytes`, and also room
 * that becomes free later.
 */
function fullDisk(name: string, leaveBytes: number): Fault {
  return {
    name,
    family: "disk",
    lastsMs: { min: 3_000, max: 8_000 },
    keeps: "pods",
    async inject({ cluster }): Promise<Injected> {
      if (!cluster.storeIsSmall) return { notInjected: "no file system can be mounted here" };
      const { store } = cluster.known.paths;
      const filler = join(store, "lost+found", "filler");
      let fillerBytes = 0;
      const fill = async () => {
        const { bavail, bsize } = await statfs(store);
        const room = bavail * bsize - leaveBytes;
        if (room < bsize) return;
        // Another program may have used some of the space in the meantime; the next turn uses the
        // rest.
        await run("fallocate", ["-l", String(fillerBytes + room), filler]).catch(() => {});
        fillerBytes = (await stat(filler).catch(() => ({ size: 0 }))).size;
      };
      await fill();
      const filling = repeat(fill, refillMs);
      const undo = async () => {
        await filling.stop();
        await rm(filler, { force: true });
      };
      return { onto: `${Math.round(leaveBytes / 2 ** 20)} MiB left`, undo };
    },
  };
}

/** The store deletes its own reserve within this time, and that room is used too. */
const refillMs = 200;

/** Repeats the work, one run after the other, until it is stopped. */
function repeat(work: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      await work();
    }
  })();
  return {
    stop() {
      stopped = true;
      return running;
    },
  };
}

/**
 * One bit of one file of its store changes while the api-server is down. Either the api-server
 * detects that and does not start, and then the earlier copy is restored, like a backup; or the bit
 * was outside of its data, and all its answers are still correct.
 */
async function flipBit({ cluster, random }: World): Promise<Injected> {
  const { store, data } = cluster.known.paths;
  const backup = join(data, "store-before");
  const before = await restartsOf(cluster);
  const letGo = await cluster.holdSupervisor();
  await killApiServer(cluster);
  await rm(backup, { recursive: true, force: true });
  await cp(store, backup, { recursive: true, filter: (path) => !/\/(ballast|lost\+found)$/.test(path) });
  const file = await chooseFile(store, random);
  const at = await choosePlace(file, random);
  await flip(file, at, random.integer(8));
  letGo();
  const refused = await refusesToStart(cluster, before);
  if (refused) await putBack(cluster, backup);
  await rm(backup, { recursive: true, force: true });
  const verdict = refused ? "refused to start" : "not in what it needs";
  return { onto: `byte ${at} of ${file.slice(store.length + 1)}: ${verdict}`, undo: nothingToUndo };
}

/** The supervisor is paused and does not answer; its file of pids can be read. */
async function killApiServer(cluster: World["cluster"]): Promise<void> {
  const file = join(cluster.known.paths.pids, "api-server.pid");
  const { pid } = JSON.parse(await readFile(file, "utf8")) as { pid: number };
  if (isRunning(pid)) await killNow(pid);
}

async function chooseFile(store: string, random: World["random"]): Promise<string> {
  const inLog = (await readdir(join(store, "log"))).map((name) => join(store, "log", name));
  const candidates = [join(store, "HEAD"), ...inLog.filter((path) => /\.(log|ldb)$|MANIFEST|CURRENT/.test(path))];
  const sized = await Promise.all(candidates.map(async (path) => ({ path, size: (await stat(path)).size })));
  return pick(
    random,
    sized.filter(({ size }) => size > 0),
  ).path;
}

/**
 * Chooses a byte of the file; in HEAD a byte of one of its two slots, because the bytes between
 * them are unused.
 */
async function choosePlace(file: string, random: World["random"]): Promise<number> {
  const { size } = await stat(file);
  if (!file.endsWith("/HEAD")) return between(random, { min: 0, max: size - 1 });
  return pick(random, headSlots) + between(random, { min: 0, max: headSlotBytes - 1 });
}

const headSlots = [0, 4096];
const headSlotBytes = 512;

async function flip(file: string, at: number, bit: number): Promise<void> {
  const handle = await open(file, "r+");
  try {
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << bit);
    await handle.write(byte, 0, 1, at);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Waits for the api-server to answer, or to end by itself. */
async function refusesToStart(cluster: World["cluster"], restartsBefore: number): Promise<boolean> {
  const deadlineMs = performance.now() + 30_000;
  while (performance.now() < deadlineMs) {
    const server = (await cluster.components()).find(({ id }) => id === "api-server");
    if (server !== undefined && server.restarts > restartsBefore) {
      if (server.pid === undefined || !isRunning(server.pid)) return true;
      if (await isReady(cluster)) return false;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the api-server neither answers nor ends after a bit of its store was flipped");
}

async function restartsOf(cluster: World["cluster"]): Promise<number> {
  return (await cluster.components()).find(({ id }) => id === "api-server")?.restarts ?? 0;
}

async function isReady({ client }: World["cluster"]): Promise<boolean> {
  return client.call({ method: "GET", path: "/readyz", timeoutMs: 1_000 }).then(
    () => true,
    () => false,
  );
}

async function putBack(cluster: World["cluster"], backup: string): Promise<void> {
  const { store } = cluster.known.paths;
  const letGo = await cluster.holdSupervisor();
  await killApiServer(cluster);
  await rm(join(store, "log"), { recursive: true, force: true });
  await cp(backup, store, { recursive: true, force: true });
  letGo();
}
