import { parseForeignJson } from "../../../../parsing/json-budget.ts";

/**
 * Annotation of a pod: how its containers ended, newest first, as JSON. Kubernetes retains only the
 * last end of each container.
 */
export const terminationsAnnotation = "kintsugi.dev/terminations";

export interface Termination {
  container: string;
  /** The number of restarts before the end. */
  restart: number;
  exitCode: number;
  signal?: number;
  reason: string;
  /**
   * The reason for which the kubelet killed the container, if it killed the container: "failed
   * liveness probe".
   */
  killed?: string;
  message?: string;
  startedAt: string;
  finishedAt: string;
  /** The first characters of the container's id. */
  id: string;
}

/** The annotation may come from another client; an invalid text counts as no terminations. */
export function readTerminations(annotation: string | undefined): Termination[] {
  if (annotation === undefined) return [];
  try {
    const value = parseForeignJson(annotation);
    return Array.isArray(value) ? value.filter(isTermination) : [];
  } catch {
    return [];
  }
}

function isTermination(value: unknown): value is Termination {
  const { container, id, finishedAt } = (value ?? {}) as Partial<Termination>;
  return typeof container === "string" && typeof id === "string" && typeof finishedAt === "string";
}
