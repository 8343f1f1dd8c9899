import { spawn } from "node:child_process";
import { join } from "node:path";
import { configMaps } from "@kintsugi/api";
import { type ApiServerProcess, prepareApiServer } from "../../support/servers/api-server-process.ts";
import { endWithThis } from "../../support/run-program.ts";
import { processUsage } from "../bench-cluster.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { type Connection, openConnection, requestBytes } from "../api/http-connection.ts";
import type { Attack, AttackTarget } from "./attack.ts";
import { attacks } from "./attacks.ts";

/** The idle time of the server after an attack, before its memory is measured. */
const restMs = 5_000;
const pauseMs = 10;
/** Time after which a client counts an unanswered request as failed. */
const patienceMs = 10_000;

/**
 * Measures an API server under each attack in turn: the service to a well-behaved client, and the
 * memory that remains after the attack.
 */
export async function measureHostile(durationMs: number, only: readonly string[] | undefined): Promise<Figure[]> {
  const figures: Figure[] = [];
  const wanted = attacks.filter(({ id }) => only?.includes(id) ?? true);
  for (const attack of [undefined, ...wanted]) {
    const measured = await measureOne(attack, durationMs);
    // An attack that crashes the server is the most important, and may be the last that is
    // measured.
    for (const { id, value, unit, detail = "" } of measured)
      process.stderr.write(`${id} ${value.toFixed(1)} ${unit} ${detail}\n`);
    figures.push(...measured);
  }
  return figures;
}

async function measureOne(attack: Attack | undefined, durationMs: number): Promise<Figure[]> {
  const limit = attack?.openFilesMax;
  await using server = await prepareApiServer(limit === undefined ? {} : { openFilesMax: limit });
  await server.start();
  await fill(server);
  const client = new WellBehavedClient(server);
  const rssMb = () =>
    processUsage(server.pid()).then(
      ({ rssMb }) => rssMb,
      () => 0,
    );
  const beforeMb = await rssMb();
  let mostMb = beforeMb;
  const watching = setInterval(() => void rssMb().then((now) => (mostMb = Math.max(mostMb, now))), 100);
  const stopAttack = attack === undefined ? () => Promise.resolve() : await startAttack(attack, server);
  await client.run(durationMs);
  await stopAttack();
  clearInterval(watching);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  const afterMb = await rssMb();
  const id = `hostile.${attack?.id ?? "none"}`;
  const what = attack?.what ?? "no attack";
  const memory = `${Math.round(beforeMb)} MB before, ${Math.round(mostMb)} at most${afterMb === 0 ? ", and the server has ended" : ""}`;
  return [
    { id: `${id}.get`, what: `${what}: get, p99`, value: client.p99("get"), unit: "ms", detail: client.account() },
    { id: `${id}.create`, what: `${what}: create, p99`, value: client.p99("create"), unit: "ms" },
    { id: `${id}.memory`, what: `${what}: memory afterwards`, value: afterMb, unit: "MB", detail: memory },
  ];
}

/** Makes the objects that `largeList` lists: 30 MB. */
async function fill({ client }: ApiServerProcess): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const data = { filler: "x".repeat(500_000) };
    const metadata = { name: `large-${i}` };
    await client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data }, { namespace: "default" });
  }
}

async function startAttack(attack: Attack, { access }: ApiServerProcess): Promise<() => Promise<void>> {
  const { hostname: host, port } = new URL(access.server);
  const target: AttackTarget = { host, port: Number(port), ca: access.ca, admin: access };
  // The child has the arguments by which this process reads TypeScript.
  const program = [...process.execArgv, join(import.meta.dirname, "attacker.ts"), attack.id];
  const child = spawn(process.execPath, program, { stdio: ["pipe", "ignore", "inherit"] });
  endWithThis(child);
  child.stdin?.end(JSON.stringify(target));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return async () => {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), 2_000);
    await ended;
    clearTimeout(late);
  };
}

/**
 * Gets and creates in turn on one connection, with a pause in between; opens another connection
 * when that breaks.
 */
class WellBehavedClient {
  readonly #server: ApiServerProcess;
  readonly #tookMs = { get: [] as number[], create: [] as number[] };
  #connection: Connection | undefined;
  #failed = 0;
  #serial = 0;

  constructor(server: ApiServerProcess) {
    this.#server = server;
  }

  async run(durationMs: number): Promise<void> {
    const untilMs = performance.now() + durationMs;
    while (performance.now() < untilMs) {
      await this.#ask("get", "GET", "/api/v1/namespaces/default");
      const name = `small-${this.#serial++}`;
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: "value" } });
      await this.#ask("create", "POST", "/api/v1/namespaces/kube-public/configmaps", body);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    this.#connection?.close();
  }

  p99(kind: "get" | "create"): number {
    const samples = this.#tookMs[kind];
    return samples.length === 0 ? patienceMs : describeSamples(samples).p99;
  }

  account(): string {
    const answered = this.#tookMs.get.length + this.#tookMs.create.length;
    return `${answered} requests answered, ${this.#failed} not`;
  }

  async #ask(kind: "get" | "create", method: string, path: string, body?: string): Promise<void> {
    const sinceMs = performance.now();
    try {
      this.#connection ??= await inTime(openConnection(this.#server.access));
      const status = await inTime(this.#connection.send(requestBytes(this.#server.access, method, path, body)));
      if (status >= 300) throw new Error(`answered ${status}`);
      this.#tookMs[kind].push(performance.now() - sinceMs);
    } catch {
      this.#failed++;
      this.#connection?.close();
      this.#connection = undefined;
    }
  }
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("no answer in time")), patienceMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
