import { parseDurationMs } from "../../../../values/duration.ts";
import type { PodSpec } from "../spec/pod-spec.ts";

/**
 * A changed value of this annotation requests a restart of the whole pod, which recreates
 * everything that its containers share.
 */
export const podRestartAnnotation = "kintsugi.dev/restartedAt";

/**
 * Reports whether an exit of any container could restart all of them
 * (podutil.AllContainersCouldRestart, KEP-5532).
 */
export function allContainersCouldRestart(spec: PodSpec | undefined): boolean {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
}

/**
 * The pod's own back-off after crashes of its containers, instead of the node's:
 * "initial=1s,max=30s".
 */
export const podBackoffAnnotation = "kintsugi.dev/backoff";

export interface PodBackoff {
  initialMs?: number;
  maxMs?: number;
}

/** @throws Error with a sentence that names the fault. */
export function parsePodBackoff(text: string): PodBackoff {
  const backoff: PodBackoff = {};
  for (const part of text.split(",")) {
    const [key, value = ""] = part.split("=", 2).map((word) => word.trim());
    if (key !== "initial" && key !== "max") throw new Error('must be like "initial=1s,max=30s"');
    const durationMs = parseDurationMs(value);
    if (durationMs <= 0) throw new Error(`${key} must be more than 0`);
    if (durationMs > longestMs) throw new Error(`${key} must be at most 24h`);
    backoff[key === "initial" ? "initialMs" : "maxMs"] = durationMs;
  }
  if ((backoff.initialMs ?? 0) > (backoff.maxMs ?? Infinity)) throw new Error("initial must not be more than max");
  return backoff;
}

/** A container that waits longer than a day no longer recovers by itself. */
const longestMs = 24 * 3_600_000;
