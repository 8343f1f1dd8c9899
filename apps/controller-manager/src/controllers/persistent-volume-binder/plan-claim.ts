import {
  classOfClaim,
  type PersistentVolume,
  type PersistentVolumeClaim,
  sameJson,
  type StorageClass,
} from "@kintsugi/api";
import {
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  provisionerAnnotations,
  selectedNodeAnnotation,
} from "@kintsugi/rules";
import { type BinderEvent, type BinderPlan, nothing } from "./binder-plan.ts";
import { findBestVolume, isReservedFor, mismatchOf } from "@kintsugi/rules";

/** The objects on which the next step of a claim depends. */
export interface ClaimWorld {
  /** The volumes that may suit the claim. */
  readonly candidates: readonly PersistentVolume[];
  /** The volume that the claim names. */
  readonly named: PersistentVolume | undefined;
  /** The StorageClass that the claim names. */
  readonly storageClass: StorageClass | undefined;
  /** The name of the default StorageClass. */
  readonly defaultClass: string | undefined;
}

/**
 * Returns the next write for a claim. A binding consists of four writes: the volume's spec and
 * status, then the claim's spec and status. A crash between any two leaves a state from which the
 * next plan continues.
 */
export function planClaim(claim: PersistentVolumeClaim, world: ClaimWorld): BinderPlan {
  const isBound = claim.metadata.annotations?.[bindCompletedAnnotation] !== undefined;
  if (isBound) return planBound(claim, world.named);
  // A claim that is being deleted does not need a volume.
  if (claim.metadata.deletionTimestamp !== undefined) return nothing;
  return (claim.spec?.volumeName ?? "") === "" ? planUnbound(claim, world) : planNamed(claim, world.named);
}

function planUnbound(claim: PersistentVolumeClaim, world: ClaimWorld): BinderPlan {
  const { storageClass, candidates, defaultClass } = world;
  const waits = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const isScheduled = claim.metadata.annotations?.[selectedNodeAnnotation] !== undefined;
  const volume = findBestVolume(claim, candidates, { onlyReserved: waits });
  if (volume !== undefined) return planBinding(claim, volume);
  if (hasNoClass(claim) && defaultClass !== undefined) {
    const object = { ...claim, spec: { ...claim.spec, storageClassName: defaultClass } };
    return { write: { of: "claim", object }, events: [] };
  }
  if (waits && !isScheduled) {
    return planPending(claim, {
      type: "Normal",
      reason: "WaitForFirstConsumer",
      message: "waiting for first consumer to be created before binding",
    });
  }
  if (classOfClaim(claim) !== "") return planProvisioning(claim, storageClass);
  return planPending(claim, {
    type: "Normal",
    reason: "FailedBinding",
    message: "no persistent volumes available for this claim and no storage class is set",
  });
}

function hasNoClass(claim: PersistentVolumeClaim): boolean {
  return claim.spec?.storageClassName === undefined && classOfClaim(claim) === "";
}

/** This program has no provisioners; an external provisioner finds the claim by its annotations. */
function planProvisioning(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): BinderPlan {
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io "${classOfClaim(claim)}" not found`;
    return planPending(claim, { type: "Warning", reason: "ProvisioningFailed", message });
  }
  const { provisioner } = storageClass;
  if (provisioner.startsWith("kubernetes.io/")) {
    const message = `no volume plugin matched name: ${provisioner}`;
    return planPending(claim, { type: "Warning", reason: "ProvisioningFailed", message });
  }
  const annotations = Object.fromEntries(provisionerAnnotations.map((key) => [key, provisioner]));
  const isAnnotated = provisionerAnnotations.every((key) => claim.metadata.annotations?.[key] === provisioner);
  if (!isAnnotated) return { write: { of: "claim", object: annotated(claim, annotations) }, events: [] };
  return planPending(claim, {
    type: "Normal",
    reason: "ExternalProvisioning",
    message: `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  });
}

function planNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): BinderPlan {
  if (volume === undefined) return planPending(claim);
  if (isReservedFor(volume, claim)) return planBinding(claim, volume);
  if (volume.spec?.claimRef !== undefined) {
    const message = `volume "${volume.metadata.name}" already bound to a different claim.`;
    return planPending(claim, { type: "Warning", reason: "FailedBinding", message });
  }
  const mismatch = mismatchOf(volume, claim);
  if (mismatch === undefined) return planBinding(claim, volume);
  const message = `Cannot bind to requested volume "${volume.metadata.name}": ${mismatch}`;
  return planPending(claim, { type: "Warning", reason: "VolumeMismatch", message });
}

function planBound(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): BinderPlan {
  if ((claim.spec?.volumeName ?? "") === "") {
    return planLost(
      claim,
      "ClaimLost",
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    );
  }
  if (volume === undefined) {
    return planLost(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  const ref = volume.spec?.claimRef;
  if (ref === undefined || ref.uid === claim.metadata.uid) return planBinding(claim, volume);
  const message = "Two claims are bound to the same volume, this one is bound incorrectly";
  return planLost(claim, "ClaimMisbound", message);
}

/** The first write of the binding that is still missing. */
function planBinding(claim: PersistentVolumeClaim, volume: PersistentVolume): BinderPlan {
  const { uid, namespace, name, resourceVersion } = claim.metadata;
  const wasReserved = isReservedFor(volume, claim);
  if (!wasReserved || volume.spec?.claimRef?.uid !== uid) {
    const claimRef = { kind: "PersistentVolumeClaim", namespace, name, uid, apiVersion: "v1", resourceVersion };
    const bound = wasReserved ? volume : annotated(volume, { [boundByControllerAnnotation]: "yes" });
    return { write: { of: "volume", object: { ...bound, spec: { ...bound.spec, claimRef } } }, events: [] };
  }
  if (volume.status?.phase !== "Bound") {
    const { lastPhaseTransitionTime: _server, message: _old, reason: _why, ...status } = volume.status ?? {};
    return { write: { of: "volume status", object: { ...volume, status: { ...status, phase: "Bound" } } }, events: [] };
  }
  const bound = boundClaim(claim, volume);
  if (bound !== claim) return { write: { of: "claim", object: bound }, events: [] };
  return planStatus(claim, boundStatus(claim, volume), []);
}

function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const isNamed = claim.spec?.volumeName === volume.metadata.name;
  if (isNamed && claim.metadata.annotations?.[bindCompletedAnnotation] !== undefined) return claim;
  const { metadata } = annotated(claim, {
    ...(isNamed ? {} : { [boundByControllerAnnotation]: "yes" }),
    [bindCompletedAnnotation]: "yes",
  });
  return { ...claim, metadata, spec: { ...claim.spec, volumeName: volume.metadata.name } };
}

type Status = NonNullable<PersistentVolumeClaim["status"]>;

function boundStatus({ status }: PersistentVolumeClaim, { spec }: PersistentVolume): Status {
  const attributes = spec?.volumeAttributesClassName;
  // An expansion may have made the filesystem's size known; then the claim's own status has the
  // capacity.
  const isNew = status?.phase !== "Bound" || status.capacity?.["storage"] === undefined;
  return {
    ...status,
    phase: "Bound",
    accessModes: spec?.accessModes,
    capacity: isNew ? spec?.capacity : status.capacity,
    ...(isNew && attributes !== undefined ? { currentVolumeAttributesClassName: attributes } : {}),
  };
}

function planPending(claim: PersistentVolumeClaim, event?: BinderEvent): BinderPlan {
  return planStatus(claim, { ...withoutVolume(claim), phase: "Pending" }, event === undefined ? [] : [event]);
}

/** A claim becomes Lost once; the event is recorded with the change. */
function planLost(claim: PersistentVolumeClaim, reason: string, message: string): BinderPlan {
  if (claim.status?.phase === "Lost") return nothing;
  return planStatus(claim, { ...withoutVolume(claim), phase: "Lost" }, [{ type: "Warning", reason, message }]);
}

function withoutVolume({ status }: PersistentVolumeClaim): Status {
  const { accessModes: _modes, capacity: _capacity, ...rest } = status ?? {};
  return rest;
}

function planStatus(claim: PersistentVolumeClaim, status: Status, events: readonly BinderEvent[]): BinderPlan {
  if (sameJson(status, claim.status)) return { events };
  return { write: { of: "claim status", object: { ...claim, status } }, events };
}

function annotated<T extends PersistentVolume | PersistentVolumeClaim>(object: T, more: Record<string, string>): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } } };
}
