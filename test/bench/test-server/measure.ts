import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { configMaps, deployments } from "@kintsugi/api";
import { type Client, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { aDeployment } from "@kintsugi/simulation";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

const program = join(import.meta.dirname, "../../../bin/kintsugi");
const objectsOfReset = 2_000;
const pods = 50;
const creators = 20;

interface Started extends AsyncDisposable {
  /** The time between the start of the program and the line that it prints for its Ready nodes. */
  readonly readyMs: number;
  readonly memoryMb: number;
  readonly client: Client;
}

/** A test server as a suite uses it: its start, its size, a reset, and an hour of its clock. */
export async function measureTestServer(runs: number): Promise<Figure[]> {
  const starts: Pick<Started, "readyMs" | "memoryMb">[] = [];
  for (let run = 0; run < runs; run++) {
    await using started = await startServer();
    starts.push(started);
  }
  await using server = await startServer();
  const resets = await measureResets(server.client, runs);
  const idle = await measureHour(server.client);
  const idleWhole = await measureHour(server.client, { everyHeartbeat: true });
  await server.client.create(deployments, aDeployment("web", pods));
  await advance(server.client, { advance: "1m" });
  const busy = await measureHour(server.client);
  const busyWhole = await measureHour(server.client, { everyHeartbeat: true });
  const ready = describeSamples(starts.map(({ readyMs }) => readyMs));
  const memory = describeSamples(starts.map(({ memoryMb }) => memoryMb));
  const reset = describeSamples(resets);
  const between = ({ min, max }: { min: number; max: number }) =>
    `${runs} runs, ${Math.round(min)} to ${Math.round(max)}`;
  const hour = (id: string, what: string, value: number): Figure => ({
    id: `test-server.hour.${id}`,
    what: `test-server: an hour passes, ${what}`,
    value,
    unit: "ms",
  });
  return [
    {
      id: "test-server.ready",
      what: "test-server: three nodes Ready, from exec",
      value: ready.p50,
      unit: "ms",
      goal: 400,
      detail: between(ready),
    },
    {
      id: "test-server.memory",
      what: "test-server: resident memory then",
      value: memory.p50,
      unit: "MB",
      goal: 120,
      detail: between(memory),
    },
    {
      id: "test-server.reset",
      what: `test-server: ${objectsOfReset} changed objects are put back`,
      value: reset.p50,
      unit: "ms",
      goal: 100,
      detail: between(reset),
    },
    hour("idle", "no pods", idle),
    hour("idle-every-heartbeat", "no pods, every heartbeat", idleWhole),
    hour("pods", `${pods} pods`, busy),
    hour("pods-every-heartbeat", `${pods} pods, every heartbeat`, busyWhole),
  ];
}

async function startServer(): Promise<Started> {
  const startedMs = performance.now();
  const args = [program, "test-server", "--json", "--with-parent", "--clock", "steered"];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, "line"),
    exited.then(([code]) => Promise.reject(new Error(`the test server ended with code ${String(code)}`))),
  ])) as [string];
  const readyMs = performance.now() - startedMs;
  const { kubeconfig, pid } = JSON.parse(line) as { kubeconfig: string; pid: number };
  const memoryMb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  const access = { ...loadKubeconfig(kubeconfig), userAgent: "bench" };
  const client = createHttpClient({ clock: systemClock, random: systemRandom }, access);
  return {
    readyMs,
    memoryMb,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      child.stdin.end();
      await exited;
    },
  };
}

/** Returns the server's own time of each reset; between two resets all objects change. */
async function measureResets(client: Client, runs: number): Promise<number[]> {
  const key = (index: number) => ({ namespace: "default", name: `object-${index}` });
  const data = { filling: "x".repeat(300) };
  await forEach(objectsOfReset, (index) => client.create(configMaps, { metadata: key(index), data }));
  await client.call({ method: "POST", path: control("marks"), body: { name: "start" } });
  const tookMs: number[] = [];
  for (let run = 0; run < runs; run++) {
    const body = { data: { run: String(run) } };
    await forEach(objectsOfReset, (index) => client.patch(configMaps, key(index), { type: "merge", body }));
    const reset = { method: "POST", path: control("resets"), body: { mark: "start" } } as const;
    const { status } = (await client.call(reset)) as { status: { restored: number; tookMs: number } };
    if (status.restored < objectsOfReset) throw new Error(`only ${status.restored} objects were put back`);
    tookMs.push(status.tookMs);
  }
  await forEach(objectsOfReset, (index) => client.delete(configMaps, key(index)));
  return tookMs;
}

async function measureHour(client: Client, options: { everyHeartbeat?: boolean } = {}): Promise<number> {
  const startedMs = performance.now();
  await advance(client, { advance: "1h", ...options });
  return performance.now() - startedMs;
}

async function advance(client: Client, body: { advance: string; everyHeartbeat?: boolean }): Promise<void> {
  const asked = { method: "POST", path: control("clock"), body, timeoutMs: 600_000 } as const;
  const answer = (await client.call(asked)) as { advance: { settled: boolean } };
  if (!answer.advance.settled) throw new Error("the cluster had not settled when time continued");
}

function control(resource: string): string {
  return `/apis/kintsugi.dev/v1alpha1/${resource}`;
}

async function forEach(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: creators }, work));
}
