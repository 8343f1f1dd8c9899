import { createServer } from "node:http";
import { untilAborted } from "@kintsugi/clock";
import { flag, FlagError, listen, type LogLevel, logLevels, readFlags } from "@kintsugi/daemon";
import { knownFlags } from "./known-flags.ts";

export interface EtcdStandInConfig {
  addresses: readonly { host: string; port: number }[];
  logLevel: LogLevel;
}

const table = {
  "listen-client-urls": flag.list({ help: "Addresses to serve on", fallback: ["http://127.0.0.1:2379"] }),
  "data-dir": flag.path({
    help: "Directory that stays empty, because kube-apiserver stores the objects",
    placeholder: "directory",
  }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "error" }),
} as const;

const program = {
  name: "etcd",
  description: "Replaces etcd in suites of envtest: it answers /health, and kube-apiserver stores the objects.",
};

/** @throws FlagError, HelpRequested. */
export function readEtcdFlags(argv: readonly string[]): EtcdStandInConfig {
  const flags = readFlags(program, table, knownFlags(argv, table).known);
  return { addresses: flags["listen-client-urls"].map(addressIn), logLevel: flags["log-level"] };
}

function addressIn(text: string): { host: string; port: number } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:")
    throw new FlagError(`--listen-client-urls: ${JSON.stringify(text)} must be a URL with http:`);
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port || "80") };
}

const healthy = JSON.stringify({ health: "true", reason: "" });
const others = "this etcd only answers /health: the objects are in the memory of kintsugi's kube-apiserver";

/** Serves /health at an address until the signal aborts. @throws Error if it cannot listen. */
export async function serveHealth({ host, port }: { host: string; port: number }, signal: AbortSignal): Promise<void> {
  const server = createServer((request, response) => {
    const isHealth = request.url === "/health" || request.url?.startsWith("/health?") === true;
    response.writeHead(isHealth ? 200 : 501, { "content-type": isHealth ? "application/json" : "text/plain" });
    response.end(isHealth ? healthy : others);
  });
  await listen(server, { address: host, port, otherwise: "choose another address with --listen-client-urls" });
  await untilAborted(signal);
  server.closeAllConnections();
  server.close();
}
