import {
  classOfClaim,
  classOfVolume,
  compareQuantities,
  countedNoun,
  type PersistentVolumeClaim,
  type Pod,
} from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { finalizerReasons } from "../words/finalizers.ts";
import { newestEvent } from "../words/newest-event.ts";
import { listed, singleLine, aboutObject, withText } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import { findIn, listOf, type World } from "../world.ts";

/**
 * Explains why a claim has no volume, or why it still exists; `user` is the pod that waits for it.
 */
export function claimReasons(claim: PersistentVolumeClaim, world: World, user?: Pod): ExplainedReason[] {
  const about = aboutObject("PersistentVolumeClaim", claim);
  const phase = claim.status?.phase ?? "Pending";
  if (claim.metadata.deletionTimestamp !== undefined) return deletionReasons(claim, world);
  if (phase === "Lost") {
    const because = `The claim ${about.name} has lost its volume ${singleLine(claim.spec?.volumeName)}; its data is gone.`;
    return [
      {
        code: "VolumeUnbound",
        about,
        because,
        remedies: [
          {
            does: "Delete the claim and create it again",
            command: kubectlCommand(about.namespace, "delete", "pvc", about.name),
          },
        ],
      },
    ];
  }
  if (phase === "Bound") return modificationReasons(claim);
  const { because, awaits, remedies } = unboundBecause(claim, world, user);
  return [
    {
      code: "VolumeUnbound",
      about,
      because: `The claim ${about.name} has no volume: ${because}.`,
      ...sinceOf(claim.metadata.creationTimestamp),
      awaits,
      next: "The claim is bound, and pods that use it can be scheduled.",
      ...(remedies === undefined ? {} : { remedies }),
    },
  ];
}

/** The volume does not have the claim's VolumeAttributesClass yet. */
function modificationReasons(claim: PersistentVolumeClaim): ExplainedReason[] {
  const { modifyVolumeStatus: state, conditions = [] } = claim.status ?? {};
  if (state === undefined) return [];
  const about = aboutObject("PersistentVolumeClaim", claim);
  const wanted = singleLine(claim.spec?.volumeAttributesClassName);
  const condition = conditions.find(({ type }) => type === "ModifyVolumeError");
  const fault = withText(condition?.message);
  const because = {
    Pending: `the class does not exist`,
    Infeasible: `the storage driver rejects it${fault}`,
  }[state.status];
  const see = { does: "See the classes that exist", command: kubectlCommand("", "get", "volumeattributesclasses") };
  return [
    {
      code: "VolumeNotModified",
      about,
      because: `The volume of the claim ${about.name} does not have the class ${wanted} yet: ${
        because ?? `the storage driver changes it${fault}`
      }.`,
      ...sinceOf(condition?.lastTransitionTime),
      awaits:
        state.status === "Pending"
          ? "the class"
          : "the storage driver; a rejected class is tried again after 5 minutes",
      next: "The volume has the class, and the claim reports it as its current class.",
      remedies: [see],
    },
  ];
}

type Unbound = Pick<ExplainedReason, "because" | "remedies"> & { awaits: string };

function unboundBecause(claim: PersistentVolumeClaim, world: World, user: Pod | undefined): Unbound {
  const about = aboutObject("PersistentVolumeClaim", claim);
  const className = classOfClaim(claim);
  const storageClass = findIn(world, "storageclasses", { name: className });
  const areClassesKnown = world.objects.storageclasses !== undefined;
  if (className !== "" && storageClass === undefined && areClassesKnown) {
    return {
      because: `its StorageClass ${singleLine(className)} does not exist`,
      awaits: "the class, or a volume of this class",
      remedies: [{ does: "See the classes that exist", command: kubectlCommand("", "get", "storageclasses") }],
    };
  }
  const waits = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  if (waits && claim.metadata.annotations?.["volume.kubernetes.io/selected-node"] === undefined && user === undefined) {
    return {
      because: `its class ${singleLine(className)} binds a volume only when a pod uses the claim (WaitForFirstConsumer)`,
      awaits: "the first pod that uses it to be scheduled",
    };
  }
  const event = newestEvent(world, about, {
    reasons: ["FailedBinding", "VolumeMismatch", "ProvisioningFailed", "ExternalProvisioning"],
  });
  const provisioner = storageClass?.provisioner ?? "";
  if (provisioner !== "" && !provisioner.endsWith("/no-provisioner")) {
    return {
      because: `the provisioner ${singleLine(provisioner)} has not created a volume yet${withText(event?.message)}`,
      awaits: "the provisioner, which runs outside the control plane, or a volume that fits",
      remedies: [{ does: "See the volumes that exist", command: kubectlCommand("", "get", "pv") }],
    };
  }
  return { ...noMatch(claim, world), awaits: "a volume that fits" };
}

/** The existing volumes, with the reason why each does not fit. */
function noMatch(claim: PersistentVolumeClaim, world: World): Pick<ExplainedReason, "because" | "remedies"> {
  const className = classOfClaim(claim);
  const wanted = claim.spec?.resources?.requests?.["storage"] ?? "0";
  const volumes = listOf(world, "persistentvolumes");
  const faults = volumes.map((volume) => {
    const { name = "" } = volume.metadata;
    if (volume.spec?.claimRef !== undefined || volume.status?.phase !== "Available") return `${name} is taken`;
    if (classOfVolume(volume) !== className) return `${name} has another class`;
    if (compareQuantities(volume.spec?.capacity?.["storage"] ?? "0", wanted) < 0) return `${name} is too small`;
    const modes = volume.spec?.accessModes ?? [];
    if (!(claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode))) return `${name} has other access modes`;
    return `${name} does not fit its selector or its mode`;
  });
  const kind = `${className === "" ? "without a class" : `of class ${singleLine(className)}`} and at least ${singleLine(wanted)}`;
  const remedies = [
    { does: `Create a volume ${kind}` },
    { does: "See the volumes that exist", command: kubectlCommand("", "get", "pv") },
  ];
  if (world.objects.persistentvolumes === undefined) return { because: `there is no free volume ${kind}`, remedies };
  const found =
    volumes.length === 0
      ? "there are no volumes"
      : `${countedNoun(volumes.length, "volume")} ${volumes.length === 1 ? "exists but does" : "exist but do"} not fit (${listed(faults)})`;
  return { because: `it requests a volume ${kind}, and ${found}`, remedies };
}

function deletionReasons(claim: PersistentVolumeClaim, world: World): ExplainedReason[] {
  const about = aboutObject("PersistentVolumeClaim", claim);
  const users = listOf(world, "pods").filter(
    ({ metadata, spec, status }) =>
      metadata.namespace === about.namespace &&
      status?.phase !== "Succeeded" &&
      status?.phase !== "Failed" &&
      (spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === about.name),
  );
  const reasons = finalizerReasons(about, claim.metadata.finalizers ?? []);
  if (users.length === 0) return reasons;
  const names = listed(users.map(({ metadata }) => metadata.name ?? ""));
  return reasons.map((reason) => ({ ...reason, details: [...(reason.details ?? []), `pods that use it: ${names}`] }));
}
