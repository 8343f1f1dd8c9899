import { spawn } from "node:child_process";
import { mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { events } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createFakeRuntime } from "@kintsugi/cri/simulated";
import { linuxKernelLog } from "@kintsugi/kubelet/factory";
import { createKubeletOnContainerd, createNodeClient } from "../support/node/kubelet-on-containerd.ts";
import { eventually } from "../support/run-program.ts";

// Runs on the small machine of system-oom.test.ts: a kubelet, and one program after the other that
// uses all memory. It prints the events and the kubelet's reports of them, as one line of JSON
// each; then the machine is switched off.

/**
 * The kubelet reads the kernel's log every 5 s, on a machine that is some ten times slower than its
 * host.
 */
const twoLooksMs = 12_000;
const waitMaxMs = 60_000;

export type MachineLine =
  | { kind: "victim"; why: "forged" | "cgroup" | "machine"; pid: number }
  | { kind: "events"; events: { object: string; type: string; reason: string; message: string }[] };

function print(line: MachineLine): void {
  console.log(`machine: ${JSON.stringify(line)}`);
}

/**
 * Allocates memory endlessly, in a cgroup if one is named; resolves with its process id once the
 * kernel has killed it.
 */
function takeAllMemory(cgroup?: string): Promise<number> {
  const enter = cgroup === undefined ? "" : `echo $$ > ${cgroup}/cgroup.procs && `;
  const child = spawn("sh", ["-c", `${enter}exec tail /dev/zero`], { stdio: "ignore" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL") resolve(child.pid ?? 0);
      else reject(new Error(`tail ended with ${code ?? signal}, not by the kernel`));
    });
  });
}

/**
 * Forges a record like a process that writes there itself; the kernel marks it, so that readers
 * need not trust it.
 */
function forgeRecord(pid: number): void {
  const log = openSync("/dev/kmsg", "w");
  writeSync(
    log,
    `<3>Out of memory: Killed process ${pid} (forged) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB\n`,
  );
}

/** Waits for as long as it may take here; the test checks whether it was observed. */
async function until(look: () => Promise<boolean>): Promise<void> {
  await eventually("what the kubelet tells", look, waitMaxMs).catch(() => {});
}

const client = createNodeClient();
const deps = { clock: systemClock, random: systemRandom };
const runtime = createFakeRuntime(deps);
const containerd = { directory: "/run/node", cgroupParent: "/node" };
const kubelet = await createKubeletOnContainerd(
  { client, runtime, containerd, kernelLog: linuxKernelLog },
  "/run/node/memory",
);
const stop = new AbortController();
const ended = kubelet.run(stop.signal).catch(() => {});
const told = async () => (await client.list(events, { namespace: "default" })).items;
// Only kills after the kubelet's start have events; it has begun to read when it has reported that.
await until(async () => (await told()).length > 0);
await sleep(twoLooksMs);

forgeRecord(4711);
print({ kind: "victim", why: "forged", pid: 4711 });
const box = "/sys/fs/cgroup/box";
mkdirSync(box);
writeFileSync(`${box}/memory.max`, String(24 * 1024 * 1024));
print({ kind: "victim", why: "cgroup", pid: await takeAllMemory(box) });
await sleep(twoLooksMs);
print({ kind: "victim", why: "machine", pid: await takeAllMemory() });
await until(async () => (await told()).some(({ reason }) => reason === "SystemOOM"));

print({
  kind: "events",
  events: (await told()).map(({ involvedObject, type = "", reason = "", message = "" }) => ({
    object: `${involvedObject.kind}/${involvedObject.name}`,
    type,
    reason,
    message,
  })),
});
stop.abort();
await ended;
