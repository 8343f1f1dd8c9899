import { connect } from "node:net";
import { defaultMinor, gitVersionOf } from "@kintsugi/api";
import type { ContainerRuntime } from "@kintsugi/cri";
import { RuntimeError } from "@kintsugi/cri";
import { attemptHttp } from "./http-prober.ts";
import { dialError, joinHostPort } from "./network-names.ts";
import {
  type AttemptLimits,
  outputBytesMax,
  portNumber,
  type ProbeOutcome,
  type Prober,
  type ProberOptions,
  type ProbeTarget,
} from "./prober.ts";

const defaultOptions: ProberOptions = { version: gitVersionOf(defaultMinor) };

/** Probes over the node's network, and inside the container through the runtime. */
export function createProber(runtime: ContainerRuntime, { version }: ProberOptions = defaultOptions): Prober {
  return {
    async attempt(handler, target, limits) {
      if (handler.exec) return attemptExec(runtime, { command: handler.exec.command ?? [], target }, limits);
      if (handler.httpGet) return attemptHttp(handler.httpGet, target, { ...limits, version });
      if (handler.tcpSocket) {
        const { port, host } = handler.tcpSocket;
        const number = portNumber(port, target.container);
        if (number === undefined) return { kind: "errored", because: `couldn't find port: ${port}` };
        return attemptTcp(host || target.podIp, number, limits);
      }
      if (handler.grpc) {
        // Loaded when a probe needs it, because a cluster in one process does not use gRPC for
        // anything else.
        const { attemptGrpc } = await import("./grpc-prober.ts");
        return attemptGrpc(handler.grpc, target, { ...limits, version });
      }
      return { kind: "errored", because: "missing probe handler" };
    },
  };
}

async function attemptExec(
  runtime: ContainerRuntime,
  { command, target }: { command: readonly string[]; target: ProbeTarget },
  { timeoutMs, signal }: AttemptLimits,
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

function attemptTcp(host: string, port: number, { timeoutMs, signal }: AttemptLimits): Promise<ProbeOutcome> {
  const address = joinHostPort(host, port);
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const end = (outcome: ProbeOutcome) => {
      deadline.removeEventListener("abort", onTimeout);
      socket.destroy();
      resolve(outcome);
    };
    const onTimeout = () => end({ kind: "failure", output: `dial tcp ${address}: i/o timeout` });
    deadline.addEventListener("abort", onTimeout, { once: true });
    socket.once("connect", () => end({ kind: "success" }));
    socket.once("error", (error) => end({ kind: "failure", output: dialError(error, address) }));
  });
}
