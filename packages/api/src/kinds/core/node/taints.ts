import type { Toleration } from "../pod/spec/scheduling.ts";
import type { Taint } from "./node-spec.ts";

/** Reports whether a pod with this toleration tolerates this taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { effect = "", key = "", operator = "Equal", value = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

/** The first of `taints` that is not tolerated. */
export function findUntoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints?.find((taint) => !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)));
}

/**
 * Returns the time for which a pod tolerates NoExecute taints: 0 if it does not tolerate a taint,
 * otherwise the shortest of the tolerations' times, or `Infinity` if all of them are unlimited.
 */
export function tolerationSeconds(taints: readonly Taint[], tolerations: readonly Toleration[] | undefined): number {
  let shortest = Infinity;
  for (const taint of taints) {
    const matching = (tolerations ?? []).find((toleration) => tolerates(toleration, taint));
    if (matching === undefined) return 0;
    // The first toleration that matches a taint counts, as in upstream.
    if (matching.tolerationSeconds !== undefined)
      shortest = Math.min(shortest, Math.max(0, matching.tolerationSeconds));
  }
  return shortest;
}

/** A taint is identified by key and effect; its value may change. */
export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

export function noExecuteTaints(taints: readonly Taint[] | undefined): Taint[] {
  return (taints ?? []).filter((taint) => taint.effect === "NoExecute");
}
