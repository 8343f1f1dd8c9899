import {
  apiVersionOf,
  controllerReference,
  type Pod,
  pods,
  type ResourceClaim,
  resourceClaims,
  type ResourceClaimTemplate,
} from "@kintsugi/api";
import {
  claimConsumersMax,
  claimOfEntry,
  isDeviceClaimOf,
  isDoneWithClaims,
  isReservedForPod,
  podClaimNameAnnotation,
  type PodResourceClaimEntry,
} from "@kintsugi/rules";
import { claimNameBase, generatedClaimName } from "./claim-name.ts";

/** The next step for one entry of a pod's resourceClaims. */
export type EntryStep =
  | { readonly is: "nothing" }
  /** The claim exists, and the pod's status does not name it yet. */
  | { readonly is: "note"; readonly claimName: string }
  | { readonly is: "create"; readonly templateName: string };

/** Returns the entries of a pod that may still run. */
export function entriesOf(pod: Pod): readonly PodResourceClaimEntry[] {
  return pod.metadata.deletionTimestamp !== undefined || isDoneWithClaims(pod) ? [] : (pod.spec?.resourceClaims ?? []);
}

/**
 * Follows upstream's handleClaim: a deleted claim that the status names is created again.
 * @param owned the claims that were made for the pod
 */
export function planEntry(pod: Pod, entry: PodResourceClaimEntry, owned: readonly ResourceClaim[]): EntryStep {
  const templateName = entry.resourceClaimTemplateName;
  if (templateName === undefined) return { is: "nothing" };
  const known = claimOfEntry(pod, entry);
  if (known.is === "not needed") return { is: "nothing" };
  const ofEntry = owned.filter(
    (claim) => claim.metadata.annotations?.[podClaimNameAnnotation] === entry.name && isDeviceClaimOf(claim, pod),
  );
  if (known.is === "claim" && ofEntry.some(({ metadata }) => metadata.name === known.name)) return { is: "nothing" };
  const [first] = ofEntry;
  return first === undefined ? { is: "create", templateName } : { is: "note", claimName: first.metadata.name ?? "" };
}

/** The claim for an entry, under the name of this attempt; it is deleted with the pod. */
export function claimFor(
  pod: Pod,
  entry: PodResourceClaimEntry,
  { template, attempt }: { template: ResourceClaimTemplate; attempt: number },
): ResourceClaim {
  const { annotations, labels } = template.spec.metadata ?? {};
  return {
    apiVersion: apiVersionOf(resourceClaims),
    kind: resourceClaims.kind,
    metadata: {
      name: generatedClaimName(pod, entry.name, attempt),
      generateName: claimNameBase(pod.metadata.name ?? "", entry.name),
      namespace: pod.metadata.namespace,
      annotations: { ...annotations, [podClaimNameAnnotation]: entry.name },
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [controllerReference(pod, pods)],
    },
    spec: template.spec.spec,
  };
}

/**
 * Returns the claim with the pod among its consumers, for a pod that was bound without the
 * scheduler; undefined if nothing has to be done.
 */
export function withReservation(claim: ResourceClaim, pod: Pod): ResourceClaim | undefined {
  const { status } = claim;
  const consumers = status?.reservedFor ?? [];
  if (!pod.spec?.nodeName || status?.allocation === undefined || isReservedForPod(claim, pod)) return undefined;
  if (claim.metadata.deletionTimestamp !== undefined || consumers.length >= claimConsumersMax) return undefined;
  const { name = "", uid = "" } = pod.metadata;
  return { ...claim, status: { ...status, reservedFor: [...consumers, { resource: "pods", name, uid }] } };
}
