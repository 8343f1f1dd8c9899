/**
 * Restarting a container does not always help; this annotation names the steps that follow:
 * "containerRestarts=3,podRestarts=2".
 */
export const podEscalationAnnotation = "kintsugi.dev/escalation";

/**
 * Condition of a pod: restarting it in place has not helped, and its controller shall make a new
 * one on another node.
 */
export const replacementNeededCondition = "kintsugi.dev/ReplacementNeeded";

/**
 * Annotation of a pod that replaces others: the names of the nodes on which they failed, newest
 * first.
 */
export const avoidNodesAnnotation = "kintsugi.dev/avoid-nodes";

/**
 * Nodes that are remembered from one replacement to the next: with more of them, the fault is not a
 * node's.
 */
export const avoidedNodesMax = 5;

export interface PodEscalation {
  /** So many restarts of a container in a row have to fail before the whole pod is restarted. */
  containerRestarts: number;
  /** The pod is marked for replacement after this many restarts of the whole pod did not help. */
  podRestarts: number;
}

/**
 * A container that restarts more often than this before anything else is tried is not escalated but
 * looped.
 */
const containerRestartsMax = 20;
const podRestartsMax = 10;
const example = '"containerRestarts=3,podRestarts=2"';

/** @throws Error with a sentence that explains the expected form. */
export function parsePodEscalation(text: string): PodEscalation {
  const counts = new Map<string, number>();
  for (const part of text.split(",")) {
    const [key = "", value = ""] = part.split("=", 2).map((word) => word.trim());
    if (key !== "containerRestarts" && key !== "podRestarts") throw new Error(`must be like ${example}`);
    if (counts.has(key)) throw new Error(`${key} is there twice; write it once, like ${example}`);
    if (!/^\d{1,4}$/.test(value)) throw new Error(`${key} must be a whole number, like ${example}`);
    counts.set(key, Number(value));
  }
  const containerRestarts = counts.get("containerRestarts");
  const podRestarts = counts.get("podRestarts");
  if (containerRestarts === undefined || podRestarts === undefined) {
    throw new Error(`must name both containerRestarts and podRestarts, like ${example}`);
  }
  if (containerRestarts < 1 || containerRestarts > containerRestartsMax) {
    throw new Error(`containerRestarts must be between 1 and ${containerRestartsMax}`);
  }
  if (podRestarts > podRestartsMax) throw new Error(`podRestarts must be between 0 and ${podRestartsMax}`);
  return { containerRestarts, podRestarts };
}

/** The nodes that a pod shall be kept from, if there are others. */
export function avoidedNodes(pod: { metadata: { annotations?: Record<string, string> | undefined } }): string[] {
  const text = pod.metadata.annotations?.[avoidNodesAnnotation] ?? "";
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .slice(0, avoidedNodesMax);
}
