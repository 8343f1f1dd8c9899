import {
  claimOfVolume,
  classOfClaim,
  compareQuantities,
  matchesLabels,
  nodeTermMatches,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  toSelector,
} from "@kintsugi/api";
import { boundByControllerAnnotation, findBestVolume, selectedNodeAnnotation } from "@kintsugi/rules";
import type { ClusterEvent } from "../../cluster-state/cluster-event.ts";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { Reservation, StorageView } from "../../cluster-state/storage.ts";
import type { Plugin } from "../../framework/plugin.ts";
import type { RejectionReason } from "../../framework/rejection-reason.ts";
import { fits, neverFits, type Verdict } from "../../framework/verdict.ts";
import { podClaimsOf, type PodClaims } from "./pod-claims.ts";

/**
 * Places a pod on a node that can use the volumes of its claims, and chooses volumes for claims
 * that wait for their first pod.
 */
export const volumeBinding: Plugin = {
  name: "VolumeBinding",
  filterReads: "node",
  filter: ({ pod }, { storage }) => {
    const claims = podClaimsOf(pod, storage);
    if (typeof claims === "string") return { because: claims };
    if (claims.unboundImmediate.length > 0) return { because: "pod has unbound immediate PersistentVolumeClaims" };
    if (claims.bound.length + claims.delayed.length === 0) return "anything";
    const world = { storage, candidates: candidatesFor(claims.delayed, storage) };
    return { check: (node) => verdictOn(node, claims, world) };
  },
  reserve: ({ pod }, node, { storage }) => {
    const claims = podClaimsOf(pod, storage);
    if (typeof claims === "string" || claims.delayed.length === 0) return undefined;
    const world = { storage, candidates: candidatesFor(claims.delayed, storage) };
    const chosen = chooseVolumes(node, claims.delayed, world);
    return "code" in chosen ? undefined : reservationOf(node, claims.delayed, chosen);
  },
  mayHelp: ({ pod }, event) => mayHelp(pod, event),
};

interface StorageWorld {
  readonly storage: StorageView;
  /** The volumes by class, listed once for all nodes. */
  readonly candidates: ReadonlyMap<string, readonly PersistentVolume[]>;
}

function candidatesFor(
  claims: readonly PersistentVolumeClaim[],
  storage: StorageView,
): ReadonlyMap<string, readonly PersistentVolume[]> {
  const classes = new Set(claims.map((claim) => classOfClaim(claim)));
  return new Map([...classes].map((name) => [name, storage.volumesOfClass(name)]));
}

function verdictOn(node: NodeInfo, { bound, delayed }: PodClaims, world: StorageWorld): Verdict {
  const volumes = bound.map(({ spec }) => world.storage.findVolume(spec?.volumeName ?? ""));
  if (volumes.includes(undefined)) return neverFits({ code: "VolumeMissing" });
  const isReachable = volumes.every((volume) => volume !== undefined && admits(volume, node));
  const chosen = chooseVolumes(node, delayed, world);
  const because: RejectionReason[] = "code" in chosen ? [chosen] : [];
  if (!isReachable) because.push({ code: "VolumeElsewhere" });
  return because.length === 0 ? fits : { fits: false, because, evictionMayHelp: false };
}

interface Choice {
  readonly claim: PersistentVolumeClaim;
  /** Undefined if a provisioner is to make the volume. */
  readonly volume: PersistentVolume | undefined;
}

/**
 * Chooses a volume of the node for each claim, the smallest claim first, or leaves the claim to the
 * class's provisioner. Returns the reason if neither is possible for a claim.
 */
function chooseVolumes(
  node: NodeInfo,
  claims: readonly PersistentVolumeClaim[],
  { storage, candidates }: StorageWorld,
): readonly Choice[] | RejectionReason {
  const taken = new Set<PersistentVolume>();
  const choices: Choice[] = [];
  for (const claim of [...claims].sort(bySize)) {
    const selected = claim.metadata.annotations?.[selectedNodeAnnotation];
    // A provisioner is already making the volume for that node.
    if (selected !== undefined && selected !== node.name) return { code: "NoVolumeToBind" };
    const isFree = (candidate: PersistentVolume) => !taken.has(candidate) && admits(candidate, node);
    const volume =
      selected === undefined
        ? findBestVolume(claim, candidates.get(classOfClaim(claim)) ?? [], { onlyReserved: false, admits: isFree })
        : undefined;
    if (volume !== undefined) taken.add(volume);
    else {
      const storageClass = storage.findClass(classOfClaim(claim));
      if (!canProvision(storageClass, node)) return { code: "NoVolumeToBind" };
      if (selected === undefined && !hasSpace(node, { claim, storageClass }, storage))
        return { code: "NoStorageSpace" };
    }
    choices.push({ claim, volume });
  }
  return choices;
}

function admits({ spec }: PersistentVolume, node: Pick<NodeInfo, "name" | "labels">): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => nodeTermMatches(term, node));
}

function canProvision(storageClass: StorageClass | undefined, { labels }: NodeInfo): boolean {
  const { provisioner = "", allowedTopologies = [] } = storageClass ?? {};
  if (provisioner === "" || provisioner === "kubernetes.io/no-provisioner") return false;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "")),
  );
}

/**
 * Capacity counts only for drivers that publish it (binder.go hasEnoughCapacity). A driver whose
 * CSIDriver does not have `storageCapacity` checks its capacity when it makes the volume.
 */
function hasSpace(
  { labels }: NodeInfo,
  { claim, storageClass }: { claim: PersistentVolumeClaim; storageClass: StorageClass | undefined },
  storage: StorageView,
): boolean {
  const { provisioner = "", metadata } = storageClass ?? {};
  if (storage.findCsiDriver(provisioner)?.spec.storageCapacity !== true) return true;
  const size = sizeOf(claim);
  for (const { nodeTopology, capacity, maximumVolumeSize } of storage.capacitiesOf(metadata?.name ?? "")) {
    const limit = maximumVolumeSize ?? capacity;
    if (limit === undefined || compareQuantities(limit, size) < 0) continue;
    if (nodeTopology !== undefined && matchesLabels(toSelector(nodeTopology), labels)) return true;
  }
  return false;
}

function reservationOf(
  node: NodeInfo,
  awaited: readonly PersistentVolumeClaim[],
  choices: readonly Choice[],
): Reservation {
  const volumes: PersistentVolume[] = [];
  const claims: PersistentVolumeClaim[] = [];
  for (const { claim, volume } of choices) {
    if (volume === undefined) claims.push(annotated(claim, selectedNodeAnnotation, node.name));
    else if (volume.spec?.claimRef?.uid !== claim.metadata.uid) volumes.push(claimedBy(volume, claim));
  }
  return { volumes, claims, awaited };
}

function claimedBy(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const claimRef = { kind: "PersistentVolumeClaim", namespace, name, uid, apiVersion: "v1", resourceVersion };
  // A user who reserved the volume for the claim keeps the reservation when the claim is deleted.
  const bound = volume.spec?.claimRef === undefined ? annotated(volume, boundByControllerAnnotation, "yes") : volume;
  return { ...bound, spec: { ...bound.spec, claimRef } };
}

function annotated<T extends PersistentVolume | PersistentVolumeClaim>(object: T, key: string, value: string): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [key]: value } } };
}

function bySize(a: PersistentVolumeClaim, b: PersistentVolumeClaim): number {
  return compareQuantities(sizeOf(a), sizeOf(b));
}

function sizeOf({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.["storage"] ?? "0";
}

function mayHelp({ metadata, spec }: Pod, event: ClusterEvent): boolean {
  const names = (spec?.volumes ?? []).flatMap((volume) => claimOfVolume(volume, metadata.name ?? "") ?? []);
  if (names.length === 0) return false;
  switch (event.is) {
    case "PersistentVolumeClaimAdd":
    case "PersistentVolumeClaimUpdate": {
      const { namespace, name = "" } = event.claim.metadata;
      return namespace === metadata.namespace && names.includes(name);
    }
    case "PersistentVolumeAdd":
    case "PersistentVolumeUpdate":
    case "StorageClassAdd":
    case "StorageClassUpdate":
    case "CSIStorageCapacityAdd":
    case "CSIStorageCapacityUpdate":
    case "CSIDriverUpdate":
    case "NodeAdd":
      return true;
    case "NodeUpdate":
      return event.changed.labels;
    default:
      return false;
  }
}
