import type { PodSandbox } from "@kintsugi/cri";

/**
 * The single sandbox of each pod, by its uid, that represents the pod. Older sandboxes wait to be
 * removed.
 */
export function newestSandboxes(sandboxes: readonly PodSandbox[]): Map<string, PodSandbox> {
  const newest = new Map<string, PodSandbox>();
  for (const sandbox of sandboxes) {
    const known = newest.get(sandbox.metadata.uid);
    if (!known || known.metadata.attempt < sandbox.metadata.attempt) newest.set(sandbox.metadata.uid, sandbox);
  }
  return newest;
}
