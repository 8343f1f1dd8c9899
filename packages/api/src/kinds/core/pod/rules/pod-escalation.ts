/**
 * Annotation with the steps that follow when restarts of a container do not help:
 * "containerRestarts=3,podRestarts=2".
 */
export const podEscalationAnnotation = "kintsugi.dev/escalation";

/**
 * Condition of a pod: restarts in place have not helped, so its controller has to create a new pod
 * on another node.
 */
export const replacementNeededCondition = "kintsugi.dev/ReplacementNeeded";

/**
 * Annotation of a pod that replaces others: the names of the nodes on which the replaced pods
 * failed, newest first.
 */
export const avoidNodesAnnotation = "kintsugi.dev/avoid-nodes";

/**
 * Number of nodes that are recorded from one replacement to the next; if the pod fails on more
 * nodes, the nodes are not the cause.
 */
export const avoidedNodesMax = 5;

export interface PodEscalation {
  /** Number of consecutive failed restarts of a container before the whole pod is restarted. */
  containerRestarts: number;
  /** Number of restarts of the whole pod after which the pod is marked for replacement. */
  podRestarts: number;
}

/**
 * A container that restarts more often than this before the next step is in a loop and not
 * escalated.
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
    if (counts.has(key)) throw new Error(`${key} is listed twice; write it once, such as ${example}`);
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

/** The nodes that a pod avoids if other nodes are available. */
export function avoidedNodes(pod: { metadata: { annotations?: Record<string, string> | undefined } }): string[] {
  const text = pod.metadata.annotations?.[avoidNodesAnnotation] ?? "";
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .slice(0, avoidedNodesMax);
}
