// npm run bench:node -- [VERSION…]: the start of a test server, its creates and reads, its memory,
// and a run in virtual time, compared between several versions of Node.js. The versions take turns,
// so that other work on the machine affects all alike. Processor time shows the cost of a version
// even on a busy machine.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fetchNode, majorVersion } from "./fetch-node.ts";

const repository = join(import.meta.dirname, "../..");
/** `npm run package` makes it, and users run it. */
const bin = join(repository, "dist/kintsugi/bin/kintsugi");
/** The median of five rounds ignores two disturbed rounds. */
const rounds = 5;
const requests = 1_000;
/** A server's code is compiled by the first hundreds of requests. */
const warmUp = 500;
/** Linux counts processor time in hundredths of a second. */
const tickMs = 10;

interface Round {
  readonly readyMs: number;
  readonly readyCpuMs: number;
  readonly createCpuMicros: number;
  readonly getCpuMicros: number;
  readonly memoryMb: number;
  readonly lifeMs: number;
  readonly lifeCpuMs: number;
}

const majors = (process.argv.length > 2 ? process.argv.slice(2) : ["20", "22", "24", "26"]).map(majorVersion);
const programs = await Promise.all(majors.map(fetchNode));
const measured = new Map<string, Round[]>(programs.map((program) => [program, []]));
// The first start of each version fills its cache of compiled code.
for (const program of programs) await measureServer(program);
for (let round = 0; round < rounds; round++)
  for (const program of programs)
    measured.get(program)?.push({ ...(await measureServer(program)), ...(await measureRun(program)) });
print();

async function measureServer(program: string): Promise<Omit<Round, "lifeMs" | "lifeCpuMs">> {
  const startedMs = performance.now();
  const child = spawn(program, [bin, "test-server", "--json", "--with-parent"], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const [readyMs, readyCpuMs] = [performance.now() - startedMs, cpuMs(child)];
  const { server, ca, token } = JSON.parse(line) as { server: string; ca: string; token: string };
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 });
  const call = (method: string, path: string, body?: object) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const sent = request(new URL(path, server), { agent, method, headers }, (response) => {
        response.resume().once("end", () => {
          const { statusCode = 0 } = response;
          if (statusCode < 300) resolve();
          else reject(new Error(`${method} ${path}: ${statusCode}`));
        });
      });
      sent.once("error", reject);
      sent.end(body && JSON.stringify(body));
    });
  const path = "/api/v1/namespaces/default/configmaps";
  const create = (number: number) => call("POST", path, { metadata: { name: `c-${number}` }, data: { key: "value" } });
  const perRequest = async (count: number, send: (number: number) => Promise<void>) => {
    const beforeMs = cpuMs(child);
    for (let i = 0; i < count; i++) await send(i);
    return ((cpuMs(child) - beforeMs) * 1000) / count;
  };
  await perRequest(warmUp, (i) => create(requests + i));
  const createCpuMicros = await perRequest(requests, create);
  await perRequest(warmUp, (i) => call("GET", `${path}/c-${i}`));
  const getCpuMicros = await perRequest(requests, (i) => call("GET", `${path}/c-${i}`));
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const memoryMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  agent.destroy();
  child.stdin.end();
  await once(child, "exit");
  return { readyMs, readyCpuMs, createCpuMicros, getCpuMicros, memoryMb };
}

/** Ten minutes of three nodes, one of which dies. */
async function measureRun(program: string): Promise<Pick<Round, "lifeMs" | "lifeCpuMs">> {
  const startedMs = performance.now();
  const shell = `${JSON.stringify(program)} ${JSON.stringify(bin)} simulate node-dead >/dev/null; times`;
  const child = spawn("sh", ["-c", shell], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (data: Buffer) => (text += data.toString()));
  await once(child, "close");
  // The second line has the times of children: "0m1.71s 0m0.12s".
  const [, minutes = 0, seconds = 0, systemMinutes = 0, systemSeconds = 0] =
    /\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s/.exec(text) ?? [];
  const lifeCpuMs =
    (Number(minutes) + Number(systemMinutes)) * 60_000 + (Number(seconds) + Number(systemSeconds)) * 1000;
  return { lifeMs: performance.now() - startedMs, lifeCpuMs };
}

/** The processor time of a process so far, of all its threads. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

function print(): void {
  const median = (program: string, key: keyof Round) =>
    (measured.get(program) ?? []).map((round) => round[key]).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  const rows: [string, keyof Round, string][] = [
    ["test server ready", "readyMs", "ms"],
    ["its processor time until then", "readyCpuMs", "ms"],
    ["processor time of a create", "createCpuMicros", "µs"],
    ["processor time of a get", "getCpuMicros", "µs"],
    ["memory after them", "memoryMb", "MB"],
    ["a life of ten minutes (node-dead)", "lifeMs", "ms"],
    ["its processor time", "lifeCpuMs", "ms"],
  ];
  process.stdout.write(`| figure | ${majors.map((major) => `Node.js ${major}`).join(" | ")} |\n`);
  process.stdout.write(`|---|${majors.map(() => "---").join("|")}|\n`);
  for (const [name, key, unit] of rows) {
    const values = programs.map((program) => `${Math.round(median(program, key)).toLocaleString("en")} ${unit}`);
    process.stdout.write(`| ${name} | ${values.join(" | ")} |\n`);
  }
}
