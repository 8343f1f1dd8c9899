import type { Container, LifecycleHandler } from "@kintsugi/api";

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
  | { kind: "failure"; output: string }
  | { kind: "errored"; because: string };

/** The four ways in which upstream asks a container how it is; also runs its hooks. */
export type Handler = Pick<LifecycleHandler, "exec" | "httpGet" | "tcpSocket">;

/** Performs one attempt against a container. */
export interface Prober {
  attempt(
    handler: Handler,
    target: ProbeTarget,
    limits: { timeoutMs: number; signal: AbortSignal },
  ): Promise<ProbeOutcome>;
}

/** The number behind a port that may be given by name. */
export function portNumber(port: number | string, container: Pick<Container, "name" | "ports">): number | undefined {
  if (typeof port === "number") return port;
  const named = container.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? (/^\d+$/.test(port) ? Number(port) : undefined);
}
