import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { processUsage } from "../bench-cluster.ts";
import type { Figure } from "../figure.ts";
import { prepareApiServer } from "../../support/servers/api-server-process.ts";
import { childProcesses } from "../../support/node/child-processes.ts";
import { load, podJson } from "./api-load.ts";
import { requestBytes, type ServerAccess } from "./http-connection.ts";

// The processor time of a request in the process that owns the store, and in the processes that do
// the work of TLS and HTTP. The owner's time limits the rate on a machine with enough cores.

const clients = 64;
const processorOfOwner = "0";

/** Measures an API server alone, with each number of workers in turn. */
export async function measureHttpWorkers(options: {
  workers: readonly number[];
  durationMs: number;
}): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of options.workers) {
    created = 0;
    await using server = await prepareApiServer({ args: [`--http-workers=${count}`] });
    await server.start();
    const workers = childProcesses(server.pid());
    pin([server.pid()], processorOfOwner);
    // The workers share the other processors with this client.
    pin([...workers, process.pid], otherProcessors());
    try {
      for (const verb of ["create", "get"] as const) {
        // The first run warms the processes.
        await send(server.access, { verb, durationMs: options.durationMs / 2 });
        const before = await usageOf(server.pid(), workers);
        const { perSecond, latencyMs } = await send(server.access, { verb, durationMs: options.durationMs });
        const after = await usageOf(server.pid(), workers);
        const ownerUs = ((after.owner - before.owner) * 1e6) / latencyMs.count;
        const workersUs = ((after.workers - before.workers) * 1e6) / latencyMs.count;
        const of = `${verb} by ${clients} clients, ${count} HTTP workers`;
        const id = `http-workers.${count}.${verb}`;
        figures.push(
          {
            id: `${id}.rate`,
            what: `${of}: rate`,
            value: perSecond,
            unit: "/s",
            detail: `${latencyMs.count} requests`,
          },
          { id: `${id}.p99`, what: `${of}: p99`, value: latencyMs.p99, unit: "ms" },
          {
            id: `${id}.owner`,
            what: `${of}: processor time of the owner`,
            value: ownerUs,
            unit: "µs",
            detail: `${Math.round(1e6 / ownerUs)} a second on a processor of its own; all workers ${Math.round(workersUs)} µs`,
          },
        );
      }
    } finally {
      pin([process.pid], `0-${availableParallelism() - 1}`);
    }
  }
  return figures;
}

let created = 0;

/** Creates pods, or reads them one after the other. */
function send(
  access: ServerAccess,
  { verb, durationMs }: { verb: "create" | "get"; durationMs: number },
): ReturnType<typeof load> {
  const path = "/api/v1/namespaces/default/pods";
  if (verb === "create") {
    const next = () => requestBytes(access, "POST", path, podJson(`p-${created++}`, "default"));
    return load(access, { clients, durationMs, expected: 201 }, next);
  }
  let read = 0;
  const next = () => requestBytes(access, "GET", `${path}/p-${read++ % 1_000}`);
  return load(access, { clients, durationMs, expected: 200 }, next);
}

function otherProcessors(): string {
  const count = availableParallelism();
  return count > 2 ? `1-${count - 1}` : String(count - 1);
}

function pin(pids: readonly number[], processors: string): void {
  for (const pid of pids) execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", processors, String(pid)]);
}

async function usageOf(owner: number, workers: readonly number[]): Promise<{ owner: number; workers: number }> {
  const [first = 0, ...rest] = await Promise.all(
    [owner, ...workers].map(async (pid) => (await processUsage(pid)).cpuSeconds),
  );
  return { owner: first, workers: rest.reduce((sum, seconds) => sum + seconds, 0) };
}
