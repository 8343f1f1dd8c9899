import { formatKey, persistentVolumeClaims, type Pod, pods } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { claimNamesOf } from "./plan.ts";
import { ClaimProtector } from "./reconciler.ts";
import { pvcProtectionRole } from "@kintsugi/rules";

/** Delays the deletion of a PersistentVolumeClaim until no pod uses it. */
export const pvcProtectionController = defineController({
  name: "persistentvolumeclaim-protection",
  options: {},
  roles: [pvcProtectionRole],
  reads: [persistentVolumeClaims, indexedPods],
  create(context) {
    const protector = new ClaimProtector(context);
    return {
      workers: 1,
      keys: persistentVolumeClaims,
      watches: [
        on(persistentVolumeClaims),
        // A pod's claims are in use until the pod is deleted.
        on(pods, ({ type, object }) => (type === "deleted" ? claimKeysOf(object) : [])),
      ],
      reconcile: (key, signal) => protector.reconcile(key, signal),
    };
  },
});

function claimKeysOf(pod: Pod): string[] {
  const { namespace = "" } = pod.metadata;
  return claimNamesOf(pod).map((name) => formatKey({ namespace, name }));
}
