import type { Pod } from "../pod.ts";

// A static pod comes from a file on its node. The API has a copy of it, the mirror pod, which every
// client can see:
//
//   /etc/kubernetes/manifests/web.yaml ──► static pod web-node-1, uid = config hash ──► containers
//                                              │ the kubelet creates, and recreates after a delete
//                                              ▼
//                            mirror pod web-node-1, a uid of its own, config.mirror = config hash

/** Upstream's annotations of such pods (kubelet/types/pod_update.go). */
export const configAnnotations = {
  hash: "kubernetes.io/config.hash",
  source: "kubernetes.io/config.source",
  seen: "kubernetes.io/config.seen",
  mirror: "kubernetes.io/config.mirror",
} as const;

/**
 * A copy of a static pod in the API. Admission allows only nodes to create mirror pods; the
 * kubelet's own record maps each mirror pod to its static pod.
 */
export function isMirrorPod({ metadata }: Pick<Pod, "metadata">): boolean {
  return metadata.annotations?.[configAnnotations.mirror] !== undefined;
}
