import { type APIService, apiServices, apiVersionOf } from "@kintsugi/api";
import type { ServedResource } from "../resources/served-resource.ts";

/** The label of an APIService that the server manages itself. */
export const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

/** Upstream's priorities of the groups, and of their versions. */
const priorities: Readonly<Record<string, readonly [number, number]>> = {
  v1: [18_000, 1],
  "apps/v1": [17_800, 15],
  "events.k8s.io/v1": [17_750, 15],
  "authentication.k8s.io/v1": [17_700, 15],
  "authentication.k8s.io/v1beta1": [17_700, 9],
  "authorization.k8s.io/v1": [17_600, 15],
  "autoscaling/v1": [17_500, 15],
  "autoscaling/v2": [17_500, 30],
  "batch/v1": [17_400, 15],
  "certificates.k8s.io/v1": [17_300, 15],
  "networking.k8s.io/v1": [17_200, 15],
  "policy/v1": [17_100, 15],
  "rbac.authorization.k8s.io/v1": [17_000, 15],
  "storage.k8s.io/v1": [16_800, 15],
  "storage.k8s.io/v1beta1": [16_800, 9],
  "apiextensions.k8s.io/v1": [16_700, 15],
  "admissionregistration.k8s.io/v1": [16_700, 15],
  "admissionregistration.k8s.io/v1beta1": [16_700, 12],
  "admissionregistration.k8s.io/v1alpha1": [16_700, 9],
  "scheduling.k8s.io/v1": [16_600, 15],
  "coordination.k8s.io/v1": [16_500, 15],
  "node.k8s.io/v1": [16_300, 15],
  "discovery.k8s.io/v1": [16_200, 15],
  "flowcontrol.apiserver.k8s.io/v1": [16_100, 21],
  "resource.k8s.io/v1": [15_900, 15],
};
/** The priorities of custom kinds, which follow all built-in groups. */
const customPriority = [1_000, 100] as const;
/** The priorities of groups that upstream's server does not have. */
const otherPriority = [100, 100] as const;

/**
 * Returns the APIServices of the groups that this server serves itself. The APIServices of
 * compiled-in kinds are made when the server starts and may change at that time; the priorities of
 * custom kinds follow their definitions.
 */
export function localServices(served: readonly Pick<ServedResource, "type" | "isCustom">[]): APIService[] {
  const found = new Map<string, APIService>();
  for (const { type, isCustom } of served) {
    const name = serviceNameOf(type);
    // The aggregator does not register its own version.
    if (type.group === apiServices.group || found.has(name)) continue;
    const known = priorities[apiVersionOf(type)] ?? otherPriority;
    const [groupPriorityMinimum, versionPriority] = isCustom ? customPriority : known;
    found.set(name, {
      apiVersion: apiVersionOf(apiServices),
      kind: apiServices.kind,
      metadata: { name, labels: { [managedLabel]: isCustom ? "true" : "onstart" } },
      spec: { group: type.group, version: type.version, groupPriorityMinimum, versionPriority },
    });
  }
  return [...found.values()];
}

/** "v1.apps"; the legacy group's name is "v1.". */
function serviceNameOf({ group, version }: { group: string; version: string }): string {
  return `${version}.${group}`;
}
