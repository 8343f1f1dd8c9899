import {
  classOfClaim,
  classOfVolume,
  formatKey,
  keyOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from "@kintsugi/api";
import { on, reading } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { bindCompletedAnnotation, persistentVolumeBinderRole } from "@kintsugi/rules";
import { BinderReconciler } from "./reconciler.ts";

// These indexes find the other side of a binding, and the claims that wait for a volume:
//
//   class        volumes by their StorageClass; claims that are not bound, by theirs
//   claim        volumes by the claim that they are reserved for or bound to
//   volume       claims by the volume that they name
const indexedVolumes = reading(persistentVolumes, {
  class: (volume) => [classOfVolume(volume)],
  claim: claimKeysOf,
});
const indexedClaims = reading(persistentVolumeClaims, {
  class: (claim) => (isPending(claim) ? [classOfClaim(claim)] : []),
  volume: ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []),
});

/**
 * Binds PersistentVolumeClaims to PersistentVolumes, and releases volumes whose claim no longer
 * exists.
 */
export const persistentVolumeBinderController = defineController({
  name: "persistentvolume-binder",
  options: {},
  roles: [persistentVolumeBinderRole],
  events: "persistentvolume-controller",
  reads: [indexedVolumes, indexedClaims, storageClasses],
  create(context) {
    const { informers } = context;
    const [claims, volumes] = [informers.of(persistentVolumeClaims), informers.of(persistentVolumes)];
    const reconciler = new BinderReconciler(context);
    const keysOf = (found: readonly PersistentVolumeClaim[]) => found.map((claim) => formatKey(keyOf(claim)));
    return {
      // A single worker chooses volumes, so that two claims never take the same volume.
      workers: 1,
      keys: persistentVolumeClaims,
      watches: [
        on(persistentVolumeClaims),
        on(persistentVolumes, ({ object }) => [
          ...claimKeysOf(object),
          ...keysOf(claims.byIndex("volume", object.metadata.name ?? "")),
          ...(object.spec?.claimRef === undefined ? keysOf(claims.byIndex("class", classOfVolume(object))) : []),
        ]),
        // A class may also become the default class of claims without a class.
        on(storageClasses, ({ object }) =>
          keysOf([...claims.byIndex("class", object.metadata.name ?? ""), ...claims.byIndex("class", "")]),
        ),
      ],
      reconcile: (key, signal) => reconciler.reconcileClaim(key, signal),
      also: {
        queue: "volumes",
        workers: 1,
        keys: persistentVolumes,
        watches: [
          on(persistentVolumes),
          on(persistentVolumeClaims, ({ object }) =>
            volumes.byIndex("claim", formatKey(keyOf(object))).map((volume) => formatKey(keyOf(volume))),
          ),
        ],
        reconcile: (key, signal) => reconciler.reconcileVolume(key, signal),
      },
    };
  },
});

function claimKeysOf({ spec }: PersistentVolume): string[] {
  const { namespace = "", name = "" } = spec?.claimRef ?? {};
  return name === "" ? [] : [formatKey({ namespace, name })];
}

function isPending({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[bindCompletedAnnotation] === undefined;
}
