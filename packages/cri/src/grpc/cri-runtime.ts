import { strict as assert } from "node:assert";
import { type Logger, silentLogger } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import { Connection } from "@kintsugi/grpc";
import type { ContainerRuntime } from "../container-runtime.ts";
import { imageService, runtimeService } from "../proto/definitions.ts";
import type { Call } from "./call.ts";
import { containerCalls } from "./container-calls.ts";
import { runtimeErrorOf } from "./error.ts";
import { type EventStreamOptions, runtimeEvents } from "./event-stream.ts";
import { imageCalls } from "./image-calls.ts";
import { nodeCalls } from "./node-calls.ts";
import { sandboxCalls } from "./sandbox-calls.ts";

export interface CriRuntimeDeps {
  clock: Clock;
  random: Random;
  log?: Logger;
}

export interface CriRuntimeOptions {
  /** The runtime's socket: "unix:///run/containerd/containerd.sock". */
  endpoint: string;
  /**
   * The time limit of a call, like upstream's --runtime-request-timeout. Default 2 min. Starting a
   * sandbox may take twice that time, because its network is set up. Stopping a container and
   * running a command may take that long in addition to their own time. A pull has no limit.
   */
  callTimeoutMs?: number;
  /**
   * The sources of events, in the order of preference. Default containerd's own service, and CRI's
   * GetContainerEvents if the runtime is not containerd. Only the first source reports OOM kills
   * and can prove that the subscription is open.
   */
  eventSources?: EventStreamOptions["sources"];
}

/**
 * Upstream's limit for one CRI message (kubelet cri/remote maxMsgSize); a list of about 20,000
 * containers fits.
 */
const messageBytesMax = 16 * 1024 * 1024;

const callTimeoutMsDefault = 120_000;
const eventSourcesDefault: EventStreamOptions["sources"] = ["containerd", "cri"];

/** A container runtime reached through CRI v1 over gRPC. It connects at the first call. */
export function createCriRuntime(deps: CriRuntimeDeps, options: CriRuntimeOptions): ContainerRuntime {
  const { clock, random, log = silentLogger } = deps;
  const { endpoint, callTimeoutMs = callTimeoutMsDefault, eventSources = eventSourcesDefault } = options;
  assert(endpoint.startsWith("unix:///"), `the runtime's endpoint is a unix:/// URL, not ${endpoint}`);
  const connection = new Connection(clock, { endpoint, messageBytesMax, peer: "the runtime", errorOf: runtimeErrorOf });
  const call: Call = (method, request, { signal, timeoutMs = callTimeoutMs }) => {
    const [kind, name = ""] = method.split(".");
    const service = kind === "image" ? imageService : runtimeService;
    return connection.unary({ service, name }, request, {
      timeoutMs: timeoutMs === "unlimited" ? undefined : timeoutMs,
      signal,
    }) as Promise<never>;
  };
  return {
    ...nodeCalls(call),
    ...sandboxCalls(call, { callTimeoutMs }),
    ...containerCalls(call, { callTimeoutMs }),
    ...imageCalls(call),
    events: (signal) =>
      runtimeEvents(
        { connection, clock, log },
        { callTimeoutMs, sources: eventSources, subscriberId: random.uuid() },
        signal,
      ),
    close: () => connection.close(),
  };
}
