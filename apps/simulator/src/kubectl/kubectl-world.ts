import type { Client, DiscoveredType } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type ApiObject, parseTimestamp } from "@kintsugi/api";

/** The client, the time and the kinds with which a command runs. */
export interface KubectlWorld {
  readonly client: Pick<Client, "call" | "patch" | "create" | "delete">;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs" | "sleep">;
  readonly types: readonly DiscoveredType[];
  readonly signal: AbortSignal;
}

/** A response of the API as text, one line each; `yaml` is for the editor. */
export interface KubectlAnswer {
  readonly lines: readonly string[];
  readonly yaml?: string;
}

/** A longer output does not fit into the command bar, and is cut. */
const linesMax = 500;

export function told(lines: readonly string[], yaml?: string): KubectlAnswer {
  const left = lines.length - linesMax;
  const shown = left > 0 ? [...lines.slice(0, linesMax), `and ${left} more lines`] : lines;
  return { lines: shown, ...(yaml === undefined ? {} : { yaml }) };
}

export interface Change {
  readonly method: "PATCH" | "DELETE" | "POST";
  readonly path: string;
  readonly body: unknown;
  /** Default: application/json. */
  readonly contentType?: string;
}

/** Sends a change, and returns the response. @throws ApiError */
export function sendChange({ client, signal }: KubectlWorld, change: Change): Promise<unknown> {
  return client.call({ contentType: "application/json", ...change, signal });
}

/** A time span in the format of kubectl's columns: "45s", "5m3s", "2h". */
function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  return `${Math.floor(minutes / 60)}h`;
}

export function ageOf(timestamp: string | undefined, nowMs: number): string {
  return timestamp === undefined ? "<unknown>" : spanText(nowMs - parseTimestamp(timestamp));
}

export function nameOf({ metadata }: ApiObject): string {
  return metadata.name ?? "";
}
