import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { pods } from "@kintsugi/api";
import type { ClusterPicture } from "@kintsugi/rehearsal";

// A prediction is written down with its hash before its fault is injected.

/** The same cluster, but its pods and events do not show durations. */
export function withoutTimes({ objects }: ClusterPicture): ClusterPicture["objects"] {
  const shown = new Map(objects);
  shown.delete("events");
  shown.delete(pods.resource);
  return shown;
}

export function append(log: string, line: object): void {
  appendFileSync(log, `${JSON.stringify(line)}\n`, { flush: true });
}

export function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
