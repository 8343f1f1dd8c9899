import type { Container, LifecycleHandler, Probe } from "@kintsugi/api";
import type { AskingFor } from "./network-names.ts";

export interface ProbeTarget {
  containerId: string;
  container: Pick<Container, "name" | "ports">;
  podIp: string;
  namespace: string;
  podName: string;
}

/** What one attempt found. `errored`: nothing was learnt, so nothing may be concluded. */
export type ProbeOutcome =
  | { kind: "success" }
  /** It is well, but not in every respect. */
  | { kind: "warning"; output: string }
  /** `answered`: somebody was there, and said something else than a probe wants to hear. */
  | { kind: "failure"; output: string; answered?: true }
  | { kind: "errored"; because: string };

/** The four ways in which upstream asks a container how it is; also runs its hooks. */
export type Handler = Pick<LifecycleHandler, "exec" | "httpGet" | "tcpSocket"> & Pick<Probe, "grpc">;

export interface AttemptLimits {
  timeoutMs: number;
  signal: AbortSignal;
  /** What the container is told that it is asked for. Default: a probe. */
  purpose?: AskingFor;
}

/** As much of an answer as goes into an event; upstream's limit. */
export const outputBytesMax = 10 * 1024;

/** Performs one attempt against a container. */
export interface Prober {
  attempt(handler: Handler, target: ProbeTarget, limits: AttemptLimits): Promise<ProbeOutcome>;
}

/** The number behind a port that may be given by name. */
export function portNumber(port: number | string, container: Pick<Container, "name" | "ports">): number | undefined {
  if (typeof port === "number") return port;
  const named = container.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? (/^\d+$/.test(port) ? Number(port) : undefined);
}
