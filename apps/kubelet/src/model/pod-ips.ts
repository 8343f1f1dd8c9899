import type { PodSandboxStatus } from "@kintsugi/cri";
import type { BoundPod } from "./bound-pod.ts";

/**
 * Returns the addresses of a pod: its sandbox's, or the node's where it has no network of its own.
 */
export function podIpsOf(
  pod: Pick<BoundPod, "spec">,
  sandbox: Pick<PodSandboxStatus, "ip" | "additionalIps"> | undefined,
  nodeIps: readonly string[],
): readonly string[] {
  if (!sandbox) return [];
  if (pod.spec.hostNetwork) return nodeIps;
  return sandbox.ip === "" ? [] : [sandbox.ip, ...sandbox.additionalIps];
}
