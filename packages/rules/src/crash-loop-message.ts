import { parseDurationMs } from "@kintsugi/api";

/** The kubelet's message of a container in CrashLoopBackOff, with upstream's text. */
export function crashLoopMessage({ container, pod }: { container: string; pod: string }, backoff: string): string {
  return `back-off ${backoff} restarting failed container=${container} pod=${pod}`;
}

/**
 * Parses the delay in such a message, which counts from the container's end; undefined for other
 * strings.
 */
export function crashLoopBackoffMs(message: string): number | undefined {
  const [, backoff = ""] = /^back-off (\S{1,20}) restarting failed container=/.exec(message) ?? [];
  try {
    return parseDurationMs(backoff);
  } catch {
    return undefined;
  }
}
