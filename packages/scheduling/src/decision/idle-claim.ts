import type { ResourceClaim } from "@kintsugi/api";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Rejections } from "./filtering/filter-result.ts";
import { selectorMatches } from "../devices/allocator/pool.ts";
import { deviceClaimsOf } from "../plugins/devices/pod-device-claims.ts";

/**
 * Finds a claim of a rejected pod whose devices keep the pod from a node, and that is not used by
 * another pod. Once these devices are deallocated, the claim may get other devices on another node
 * (upstream's PostFilter).
 * @returns undefined if claims cannot be deallocated.
 */
export function idleClaimOf({ pod }: PodInfo, snapshot: Snapshot, rejections: Rejections): ResourceClaim | undefined {
  const nodes = [...rejections.byNode].filter(([, { because }]) =>
    because.some(({ code }) => code === "ClaimElsewhere"),
  );
  if (nodes.length === 0) return undefined;
  const claims = deviceClaimsOf(pod, snapshot.devices);
  if (typeof claims === "string") return undefined;
  return claims.find(({ status }) => {
    const selector = status?.allocation?.nodeSelector;
    if (selector === undefined) return false;
    if ((status?.reservedFor ?? []).some(({ uid }) => uid !== pod.metadata.uid)) return false;
    return nodes.some(([name]) => {
      const node = snapshot.find(name);
      return node !== undefined && !selectorMatches(selector, node);
    });
  });
}
