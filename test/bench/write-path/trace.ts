import type { ServerTls } from "@kintsugi/daemon";

/**
 * The moments of a write, in their order. `waited` is a duration instead: the time without a
 * processor.
 */
export type TracedMoment =
  | "sent"
  | "handled"
  | "queued"
  | "decided"
  | "logBegun"
  | "logged"
  | "committed"
  | "framed"
  | "answered"
  | "waited"
  | "heard"
  | "acknowledged";

export interface CollectionPause {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TracedServerOptions {
  readonly directory: string;
  readonly tls: ServerTls;
}

export interface TraceReport {
  readonly traces: Readonly<Record<string, Partial<Record<TracedMoment, number>>>>;
  readonly pauses: readonly CollectionPause[];
}

/** The header by which a write names its trace, which is the name of its object. */
export const traceHeader = "x-kintsugi-trace";

/** The system's monotonic clock, which all processes share. */
export function sharedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
