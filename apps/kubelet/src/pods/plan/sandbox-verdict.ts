import type { BoundPod } from "../../model/bound-pod.ts";
import { isRestartRequested } from "../../model/pod-life.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";

export type SandboxVerdict =
  | { kind: "use"; id: string }
  | { kind: "create"; attempt: number; replaces: string | undefined };

/**
 * Decides whether the pod's newest sandbox can be used (kuberuntime/util PodSandboxChanged). It
 * cannot be used after a restart was requested.
 */
export function sandboxVerdict(pod: BoundPod, observed: ObservedPod): SandboxVerdict {
  const newest = observed.sandboxes[0];
  if (!newest) return { kind: "create", attempt: 0, replaces: undefined };
  const replace = { kind: "create", attempt: newest.metadata.attempt + 1, replaces: newest.id } as const;
  if (observed.sandboxes.filter(({ ready }) => ready).length > 1) return replace;
  if (!newest.ready || isRestartRequested(pod, observed)) return replace;
  const hostNetwork = pod.spec.hostNetwork ?? false;
  if ((newest.namespaces.network === "node") !== hostNetwork) return { ...replace, replaces: undefined };
  if (!hostNetwork && newest.ip === "") return replace;
  return { kind: "use", id: newest.id };
}
