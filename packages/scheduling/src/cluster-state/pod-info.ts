import {
  type Container,
  controllerOf,
  formatKey,
  type HostPort,
  type Pod,
  podHostPorts,
  podRequests,
  type ResourceAmounts,
} from "@kintsugi/api";
import { type AffinityTerm, affinityTermOf, type WeightedAffinityTerm } from "./affinity-term.ts";

/** A pod with its demands on its node, computed once. */
export interface PodInfo {
  /** Replaced when only the status that the pod's node reports has changed. */
  pod: Pod;
  /** "default/web-0". */
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly requests: ResourceAmounts;
  /**
   * Requests for scoring: containers without requests count as small, so that they are spread over
   * nodes too.
   */
  readonly scoringRequests: ResourceAmounts;
  readonly hostPorts: readonly HostPort[];
  /** The UID of the controller that made the pod. */
  readonly ownerUid: string | undefined;
  readonly isTerminating: boolean;
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
}

/**
 * The amount that a container without requests counts in scores (upstream's DefaultMilliCPURequest,
 * DefaultMemoryRequest).
 */
const scoringDefaults = { cpu: "100m", memory: "200Mi" };

export function podInfoOf(pod: Pod): PodInfo {
  const { namespace = "", name = "", uid = "", labels = {} } = pod.metadata;
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const term = (source: Parameters<typeof affinityTermOf>[1]) => affinityTermOf(pod, source);
  const requests = podRequests(pod);
  return {
    pod,
    key: formatKey({ namespace, name }),
    uid,
    namespace,
    labels,
    priority: pod.spec?.priority ?? 0,
    requests,
    scoringRequests: namesDefaults(pod) ? requests : podRequests(withScoringDefaults(pod)),
    hostPorts: podHostPorts(pod),
    ownerUid: controllerOf(pod)?.uid,
    isTerminating: pod.metadata.deletionTimestamp !== undefined,
    requiredAffinity: (podAffinity?.[required] ?? []).map(term),
    requiredAntiAffinity: (podAntiAffinity?.[required] ?? []).map(term),
    preferredAffinity: (podAffinity?.[preferred] ?? []).map((weighted) => ({
      weight: weighted.weight,
      term: term(weighted.podAffinityTerm),
    })),
    preferredAntiAffinity: (podAntiAffinity?.[preferred] ?? []).map((weighted) => ({
      weight: weighted.weight,
      term: term(weighted.podAffinityTerm),
    })),
  };
}

/** Reports whether every container requests all resources that it would have for scores. */
function namesDefaults({ spec }: Pod): boolean {
  return (spec?.containers ?? []).every(
    ({ resources }) => resources?.requests?.["cpu"] !== undefined && resources.requests["memory"] !== undefined,
  );
}

function withScoringDefaults(pod: Pod): Pod {
  if (pod.spec === undefined) return pod;
  const withDefaults = (container: Container): Container => ({
    ...container,
    resources: { ...container.resources, requests: { ...scoringDefaults, ...container.resources?.requests } },
  });
  return { ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map(withDefaults) } };
}
