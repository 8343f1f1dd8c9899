import { mkdtemp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { createCriRuntime } from "../grpc/cri-runtime.ts";
import { createFakeRuntime } from "../simulated/runtime/fake-runtime.ts";
import { FileLogs, MemoryLogs } from "../simulated/runtime/logs.ts";
import { describeRuntimeContract, type RuntimeContractSubject } from "./runtime-contract.ts";
import { startFakeStreams } from "../simulated/streams.ts";
import { serveCri, type ServeCriOptions } from "./server/serve-cri.ts";

describeRuntimeContract("the fake runtime", async () => {
  const clock = new VirtualClock();
  const logs = new MemoryLogs();
  const streams = await startFakeStreams({ random: systemRandom });
  const runtime = createFakeRuntime({ clock, random: new SeededRandom(1), logs, streams });
  return {
    runtime,
    reconnect: () => runtime,
    pass: async (durationMs) => {
      await clock.advance(durationMs);
      await systemClock.sleep(1);
    },
    cgroupParent: "/pods",
    logRoot: "/var/log/pods",
    makeLogDirectory: async () => {},
    readLog: async (path) => logs.read(path),
    renameLog: async (from, to) => logs.rename(from, to),
    reach: async (url) => url,
    tellsOomKills: true,
    tellsEverySubscriber: true,
    [Symbol.asyncDispose]: async () => {
      runtime.close();
      await streams[Symbol.asyncDispose]();
    },
  };
});

describeRuntimeContract("the fake runtime behind a CRI server", () => openServed("both"));
describeRuntimeContract("the fake runtime behind a CRI server without containerd's events", () => openServed("cri"));

/**
 * The fake in virtual time, reached over a real socket: each step of time is followed by a moment
 * for the socket.
 */
async function openServed(events: NonNullable<ServeCriOptions["events"]>): Promise<RuntimeContractSubject> {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-cri-"));
  const clock = new VirtualClock();
  const streams = await startFakeStreams({ random: systemRandom });
  const fake = createFakeRuntime({ clock, random: new SeededRandom(1), logs: new FileLogs(), streams });
  const server = await serveCri(fake, { socketPath: join(directory, "cri.sock"), events });
  const reconnect = () => createCriRuntime({ clock: systemClock, random: systemRandom }, { endpoint: server.endpoint });
  const runtime = reconnect();
  return {
    runtime,
    reconnect,
    pass: async (durationMs) => {
      await clock.advance(durationMs);
      await systemClock.sleep(1);
    },
    cgroupParent: "/pods",
    logRoot: join(directory, "logs"),
    makeLogDirectory: async (path) => void (await mkdir(path, { recursive: true })),
    readLog: (path) => readFile(path, "utf8").catch(() => ""),
    renameLog: rename,
    reach: async (url) => url,
    tellsOomKills: true,
    tellsEverySubscriber: true,
    [Symbol.asyncDispose]: async () => {
      runtime.close();
      await server.close();
      await streams[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}
