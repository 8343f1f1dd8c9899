import {
  claimOfVolume,
  type PersistentVolume,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  volumeAttachments,
} from "@kintsugi/api";
import { LastingTroubles } from "../../lasting-troubles.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";
import { containerName, isRunning } from "../observed/known-containers.ts";

/**
 * Only its own pod writes to a disk. The cloud cuts a node off from a detached disk, so only pods
 * of one node could write at the same time; here each claim belongs to one pod.
 */
export function disksAreUsedOnce({ known, disks }: InvariantContext): Invariant {
  /** The store keys of a pod's claims, by its UID, because its containers may outlive the pod. */
  const claimsOf = new Map<string, readonly string[]>();

  return {
    name: "disks-are-used-once",
    never:
      "a container that starts with a disk that is not attached to its node, or that another pod of the node still uses",
    observes: [
      onKind(pods, ({ object }) => {
        claimsOf.set(object.metadata.uid ?? "", claimKeys(object));
      }),
    ],
    container({ type, container }, check) {
      const claims = claimsOf.get(container.uid) ?? [];
      if (type !== "started" || claims.length === 0) return;
      const twin = [...known.containers.all()].find(
        (other) =>
          other.uid !== container.uid &&
          other.node === container.node &&
          isRunning(other) &&
          (claimsOf.get(other.uid) ?? []).some((claim) => claims.includes(claim)),
      );
      check(twin && `${containerName(container)} was started while ${containerName(twin)} of an earlier pod runs`);
      for (const claim of claims) {
        const volume = known
          .of(persistentVolumes)
          .get(`core/persistentvolumes/_/${known.of(persistentVolumeClaims).get(claim)?.spec?.volumeName}`);
        const disk = disks().find(({ handle }) => handle === volume?.spec?.csi?.volumeHandle);
        const isThere = disk?.nodeName === container.node;
        check(isThere ? undefined : `${containerName(container)} was started without its disk on ${container.node}`);
      }
    },
  };
}

function claimKeys({ metadata, spec }: Pod): string[] {
  const names = (spec?.volumes ?? []).flatMap((volume) => claimOfVolume(volume, metadata.name ?? "") ?? []);
  return names.map((name) => `core/persistentvolumeclaims/${metadata.namespace}/${name}`);
}

/** The API never shows a disk attached to two nodes. */
export function disksAreAttachedOnce({ known }: InvariantContext): Invariant {
  return {
    name: "disks-are-attached-once",
    never: "a volume for one node that its VolumeAttachments attach to two nodes",
    observes: [
      onKind(volumeAttachments, ({ type, object }, check) => {
        if (type === "delete" || object.status?.attached !== true) return;
        const { persistentVolumeName } = object.spec.source;
        const others = [...known.of(volumeAttachments).values()].filter(
          ({ spec, status }) => spec.source.persistentVolumeName === persistentVolumeName && status?.attached === true,
        );
        check(
          others.length > 1
            ? `volume ${persistentVolumeName} is attached to ${others.map(({ spec }) => spec.nodeName).join(" and ")}`
            : undefined,
        );
      }),
    ],
  };
}

/** Data is retained as long as a claim names it. */
export function claimedDisksAreKept({ known, disks }: InvariantContext): Invariant {
  const isClaimed = (ref: NonNullable<PersistentVolume["spec"]>["claimRef"]) =>
    ref?.uid !== undefined &&
    known.of(persistentVolumeClaims).get(`core/persistentvolumeclaims/${ref.namespace}/${ref.name}`)?.metadata.uid ===
      ref.uid;

  return {
    name: "claimed-disks-are-kept",
    never: "a volume, or its disk, that is removed while its claim exists",
    observes: [
      onKind(persistentVolumes, ({ type, object }, check) => {
        if (type !== "delete") return;
        check(
          isClaimed(object.spec?.claimRef) ? `volume ${object.metadata.name} was removed before its claim` : undefined,
        );
      }),
    ],
    tick(check) {
      if (known.of(persistentVolumes).size === 0) return;
      const handles = new Set(disks().map(({ handle }) => handle));
      for (const volume of known.of(persistentVolumes).values()) {
        const { csi, claimRef } = volume.spec ?? {};
        if (csi === undefined || !isClaimed(claimRef)) continue;
        check(handles.has(csi.volumeHandle) ? undefined : `the disk of volume ${nameOf(volume)} was removed`);
      }
    },
  };
}

/** A time that is longer than any pause between two attempts to record a created disk. */
const ownerlessMs = 120_000;

/** A lost response never leaves an unrecorded disk. */
export function unownedDisksAreRemoved({ known, disks, ...context }: InvariantContext): Invariant {
  const ownerless = new LastingTroubles(context);

  return {
    name: "unowned-disks-are-removed",
    never: "in a quiet period, a disk that no PersistentVolume names for 120 s",
    tick(check) {
      const named = new Set([...known.of(persistentVolumes).values()].map(({ spec }) => spec?.csi?.volumeHandle));
      const handles = [...disks()].map(({ handle }) => handle);
      const lasting = ownerless.observe(new Set(handles.filter((each) => !named.has(each))));
      for (const handle of handles) {
        const forMs = lasting.get(handle) ?? 0;
        check(forMs > ownerlessMs ? `disk ${handle} has been without a PersistentVolume for ${forMs} ms` : undefined);
      }
    },
  };
}
