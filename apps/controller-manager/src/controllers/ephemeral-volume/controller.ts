import { claimOfVolume, formatKey, keyOf, persistentVolumeClaims, pods } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { ephemeralVolumesOf } from "./plan.ts";
import { EphemeralClaims } from "./reconciler.ts";
import { ephemeralVolumeRole } from "@kintsugi/rules";

/** Creates the PersistentVolumeClaims of generic ephemeral volumes. */
export const ephemeralVolumeController = defineController({
  name: "ephemeral-volume",
  options: {},
  roles: [ephemeralVolumeRole],
  events: "ephemeral_volume",
  reads: [persistentVolumeClaims, indexedPods],
  create(context) {
    const { informers } = context;
    const claims = new EphemeralClaims(context);
    return {
      // Upstream's default of concurrent-ephemeralvolume-syncs.
      workers: 5,
      keys: pods,
      watches: [
        on(pods, ({ type, object }) =>
          type !== "deleted" && ephemeralVolumesOf(object).length > 0 ? [formatKey(keyOf(object))] : [],
        ),
        // The claims of volumes are listed by namespace, because claims are seldom created or
        // deleted.
        on(persistentVolumeClaims, ({ object: { metadata } }) =>
          informers
            .of(pods)
            .byIndex("namespace", metadata.namespace ?? "")
            .filter((pod) =>
              ephemeralVolumesOf(pod).some(
                (volume) => claimOfVolume(volume, pod.metadata.name ?? "") === metadata.name,
              ),
            )
            .map((pod) => formatKey(keyOf(pod))),
        ),
      ],
      reconcile: (key, signal) => claims.reconcile(key, signal),
    };
  },
});
