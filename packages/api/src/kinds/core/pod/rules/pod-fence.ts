/**
 * Requests that the kubelet stop the pod when the node is cut off from the cluster for so long that
 * another node may run a replacement: "true".
 */
export const podFenceAnnotation = "kintsugi.dev/fence-on-partition";

/** Condition of a pod whose kubelet stops its containers because the node is cut off. */
export const selfFencedCondition = "kintsugi.dev/SelfFenced";

/** @throws Error with a sentence that explains the expected form. */
export function parsePodFence(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error('must be "true" or "false"');
  return text === "true";
}
