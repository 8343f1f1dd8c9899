import type { Container, LifecycleHandler, Probe } from "@kintsugi/api";
import type { AskingFor } from "./network-names.ts";

export interface ProbeTarget {
  containerId: string;
  container: Pick<Container, "name" | "ports">;
  podIp: string;
  namespace: string;
  podName: string;
}

/** The result of one attempt. `errored`: the attempt failed, so its result is unknown. */
export type ProbeOutcome =
  | { kind: "success" }
  /** The container is healthy, with a warning. */
  | { kind: "warning"; output: string }
  /** `answered`: a server answered, but not in the way that a probe accepts. */
  | { kind: "failure"; output: string; answered?: true }
  | { kind: "errored"; because: string };

/** Upstream's four kinds of probes. The class also runs the hooks of containers. */
export type Handler = Pick<LifecycleHandler, "exec" | "httpGet" | "tcpSocket"> & Pick<Probe, "grpc">;

export type ProbeKind = "liveness" | "readiness" | "startup";

export interface ProberOptions {
  /** The kubelet's version, "v1.36.0+kintsugi", which is sent to the probed servers. */
  version: string;
}

export interface AttemptLimits {
  timeoutMs: number;
  signal: AbortSignal;
  /** The kind of the probe; hooks have no kind. */
  kind?: ProbeKind;
  /** The purpose that the container can see in the request. Default: a probe. */
  purpose?: AskingFor;
}

/** Longest part of an answer that an event quotes; upstream's limit. */
export const outputBytesMax = 10 * 1024;

/** Performs one attempt against a container. */
export interface Prober {
  attempt(handler: Handler, target: ProbeTarget, limits: AttemptLimits): Promise<ProbeOutcome>;
}

/** The number of a port that may be given by name. */
export function portNumber(port: number | string, container: Pick<Container, "name" | "ports">): number | undefined {
  if (typeof port === "number") return port;
  const named = container.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? (/^\d+$/.test(port) ? Number(port) : undefined);
}
