import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { type Client, createHttpClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { ensurePki, identityFiles, newClusterSpec, readIdentity } from "@kintsugi/lab";
import type { ServerAccess } from "../../bench/api/http-connection.ts";
import { freePort } from "../free-port.ts";
import { repository } from "../lab-cluster.ts";
import { endWithThis } from "../run-program.ts";
import type { CostQuestion } from "./report-cost.ts";

/**
 * An API server alone, as a separate process on loopback, with a data directory that outlives it.
 */
export interface ApiServerProcess extends AsyncDisposable {
  readonly access: ServerAccess & { ca: string; cert: string; key: string };
  readonly client: Client;
  /** The folder of the server's certificates and of the authority that signed them. */
  readonly pki: string;
  readonly dataDirectory: string;
  pid(): number;
  /**
   * Starts the server, or restarts it after `kill`; resolves with the start time when /readyz
   * answers.
   */
  start(): Promise<number>;
  /** kill -9. */
  kill(): Promise<void>;
  /**
   * The memory in bytes after a garbage collection.
   * @throws Error unless the server was prepared with `reportsCost`, or when the server does not
   * answer.
   */
  keptBytes(): Promise<number>;
  /** The processor time of the longest turn of its event loop since the last call. */
  longestTurnMs(): Promise<number>;
}

export interface ApiServerOptions {
  /** Another server of the same cluster, whose certificates and keys this server shares. */
  beside?: ApiServerProcess | undefined;
  /** Additional flags. */
  args?: readonly string[];
  /** The process answers `keptBytes` and `longestTurnMs`. */
  reportsCost?: boolean;
  /** The number of files that the server may have open; default as many as this process. */
  openFilesMax?: number;
  /** The time that a start may take. Default 60 s. */
  startMaxMs?: number;
}

/** Writes the program that reports costs, and returns its path. */
function costReporter(directory: string): string {
  const outfile = join(directory, "report-cost.cjs");
  buildSync({
    entryPoints: [join(repository, "test/support/servers/report-cost.ts")],
    bundle: true,
    platform: "node",
    format: "cjs",
    conditions: ["@kintsugi/source"],
    outfile,
  });
  return outfile;
}

function askForCost(child: ChildProcess | undefined, question: CostQuestion): Promise<number> {
  return new Promise((resolve, reject) => {
    if (child?.connected !== true) {
      reject(new Error("the API server reports no costs"));
      return;
    }
    const timer = setTimeout(() => reject(new Error("no answer within 30 s")), 30_000);
    child.once("message", (answer: Record<CostQuestion, number>) => {
      clearTimeout(timer);
      resolve(answer[question]);
    });
    child.send(question);
  });
}

/** Prepares a server, which is not started yet. Does not need root. */
export async function prepareApiServer(options: ApiServerOptions = {}): Promise<ApiServerProcess> {
  const { args = [], openFilesMax, beside, startMaxMs = 60_000, reportsCost = false } = options;
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-api-"));
  const pki = beside?.pki ?? join(directory, "pki");
  const spec = newClusterSpec({
    name: "alone",
    nodeCount: 1,
    profile: "default",
    apiPort: await freePort(),
    subnet: 127,
    createdAtMs: 0,
  });
  if (beside === undefined) await ensurePki({ clock: systemClock, random: systemRandom }, spec, pki);
  const serving = identityFiles(pki, "api-server");
  const kubeletClient = identityFiles(pki, "api-server-kubelet-client");
  const access = { server: `https://127.0.0.1:${spec.apiPort}`, ...(await readIdentity(pki, "admin")) };
  const client = createHttpClient(
    { clock: systemClock, random: systemRandom },
    { ...access, userAgent: "kintsugi-test" },
  );
  const flags = {
    "data-dir": join(directory, "store"),
    "bind-address": "127.0.0.1",
    "secure-port": spec.apiPort,
    "tls-cert-file": serving.certFile,
    "tls-private-key-file": serving.keyFile,
    "client-ca-file": serving.caFile,
    "kubelet-client-certificate": kubeletClient.certFile,
    "kubelet-client-key": kubeletClient.keyFile,
    "kubelet-certificate-authority": serving.caFile,
    "service-account-signing-key-file": join(pki, "sa.key"),
  };
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  return {
    access,
    client,
    pki,
    dataDirectory: flags["data-dir"],
    pid: () => child?.pid ?? 0,
    async start() {
      const log = openSync(join(directory, "api-server.log"), "a");
      const startedMs = performance.now();
      const program = join(repository, "apps/api-server/bundle/main.mjs");
      const command = [
        process.execPath,
        program,
        ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
        ...args,
      ];
      const limit = openFilesMax === undefined ? ":" : `ulimit -n ${openFilesMax}`;
      child = spawn("sh", ["-c", `${limit} && exec "$@"`, "sh", ...command], {
        stdio: reportsCost ? ["ignore", log, log, "ipc"] : ["ignore", log, log],
        env: reportsCost ? { ...process.env, NODE_OPTIONS: `--require ${costReporter(directory)}` } : process.env,
      });
      endWithThis(child);
      const patience = performance.now() + startMaxMs;
      for (;;) {
        const ready = await client.call({ method: "GET", path: "/readyz", signal: AbortSignal.timeout(200) }).then(
          () => true,
          () => false,
        );
        if (ready) return performance.now() - startedMs;
        if (child.exitCode !== null || performance.now() > patience)
          throw new Error(`the API server did not start: ${readFileSync(join(directory, "api-server.log"), "utf8")}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    kill,
    keptBytes: () => askForCost(child, "keptBytes"),
    longestTurnMs: () => askForCost(child, "longestTurnMs"),
    async [Symbol.asyncDispose]() {
      await kill();
      await client.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
