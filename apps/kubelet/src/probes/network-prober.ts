import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { HTTPGetAction } from "@kintsugi/api";
import type { ContainerRuntime } from "@kintsugi/cri";
import { RuntimeError } from "@kintsugi/cri";
import { portNumber, type ProbeOutcome, type Prober, type ProbeTarget } from "./prober.ts";

/** As much of an answer as goes into an event; upstream's limit. */
const outputBytesMax = 10 * 1024;

interface Limits {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Asks over the node's network, and inside the container through the runtime. */
export function createProber(runtime: ContainerRuntime): Prober {
  return {
    async attempt(handler, target, limits) {
      if (handler.exec) return attemptExec(runtime, { command: handler.exec.command ?? [], target }, limits);
      if (handler.httpGet) return attemptHttp(handler.httpGet, target, limits);
      if (handler.tcpSocket) {
        const { port, host } = handler.tcpSocket;
        const number = portNumber(port, target.container);
        if (number === undefined) return { kind: "errored", because: `couldn't find port: ${port}` };
        return attemptTcp(host || target.podIp, number, limits);
      }
      return { kind: "errored", because: "missing probe handler" };
    },
  };
}

async function attemptExec(
  runtime: ContainerRuntime,
  { command, target }: { command: readonly string[]; target: ProbeTarget },
  { timeoutMs, signal }: Limits,
): Promise<ProbeOutcome> {
  try {
    const result = await runtime.execSync(target.containerId, command, Math.ceil(timeoutMs / 1000), signal);
    if (result.exitCode === 0) return { kind: "success" };
    const output = Buffer.concat([result.stdout, result.stderr]).subarray(0, outputBytesMax).toString("utf8");
    return { kind: "failure", output };
  } catch (error) {
    if (error instanceof RuntimeError && error.reason === "deadlineExceeded") {
      const text = `command timed out: "${command.join(" ")}" timed out after ${timeoutMs / 1000}s`;
      return { kind: "failure", output: text };
    }
    return { kind: "errored", because: (error as Error).message };
  }
}

function attemptHttp(action: HTTPGetAction, target: ProbeTarget, { timeoutMs, signal }: Limits): Promise<ProbeOutcome> {
  const port = portNumber(action.port, target.container);
  if (port === undefined) return Promise.resolve({ kind: "errored", because: `couldn't find port: ${action.port}` });
  const scheme = (action.scheme ?? "HTTP").toLowerCase();
  const host = action.host || target.podIp;
  const path = action.path?.startsWith("/") ? action.path : `/${action.path ?? ""}`;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  const url = `${scheme}://${shownHost}:${port}${path}`;
  const headers: Record<string, string> = { "user-agent": "kube-probe/1.33", accept: "*/*", connection: "close" };
  for (const { name, value } of action.httpHeaders ?? []) headers[name.toLowerCase()] = value;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return new Promise((resolve) => {
    const send = scheme === "https" ? httpsRequest : httpRequest;
    // A probe asks whether the pod answers, not who it is: its certificate is not verified, as upstream's is not.
    const request = send(url, { headers, agent: false, signal: deadline, rejectUnauthorized: false }, (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      if (statusCode >= 200 && statusCode < 400) resolve({ kind: "success" });
      else resolve({ kind: "failure", output: `HTTP probe failed with statuscode: ${statusCode}` });
    });
    request.once("error", (error) => {
      const because = deadline.aborted
        ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        : dialError(error, shownHost, port);
      resolve({ kind: "failure", output: `Get "${url}": ${because}` });
    });
    request.end();
  });
}

function attemptTcp(host: string, port: number, { timeoutMs, signal }: Limits): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const end = (outcome: ProbeOutcome) => {
      deadline.removeEventListener("abort", onTimeout);
      socket.destroy();
      resolve(outcome);
    };
    const onTimeout = () => end({ kind: "failure", output: `dial tcp ${host}:${port}: i/o timeout` });
    deadline.addEventListener("abort", onTimeout, { once: true });
    socket.once("connect", () => end({ kind: "success" }));
    socket.once("error", (error) => end({ kind: "failure", output: dialError(error, host, port) }));
  });
}

/** In Go's words, which is what users search for. */
function dialError(error: Error, host: string, port: number): string {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${host}:${port}: connect: connection refused`;
    case "EHOSTUNREACH":
      return `dial tcp ${host}:${port}: connect: no route to host`;
    case "ECONNRESET":
      return `read tcp ${host}:${port}: read: connection reset by peer`;
    default:
      return error.message;
  }
}
