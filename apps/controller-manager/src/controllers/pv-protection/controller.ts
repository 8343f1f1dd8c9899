import { isApiError, parseKey, persistentVolumes } from "@kintsugi/api";
import { done, on, type ReconcileResult } from "@kintsugi/controller";
import { type ControllerContext, defineController } from "../../context.ts";
import { planVolumeFinalizers } from "./plan.ts";
import { pvProtectionRole } from "@kintsugi/rules";

/** Another client wrote first; its change has usually arrived by the next try. */
const conflictRetryMs = 50;

/** Delays the deletion of a PersistentVolume while a claim is bound to it. */
export const pvProtectionController = defineController({
  name: "persistentvolume-protection",
  options: {},
  roles: [pvProtectionRole],
  reads: [persistentVolumes],
  create(context) {
    return {
      workers: 1,
      keys: persistentVolumes,
      watches: [on(persistentVolumes)],
      reconcile: (key, signal) => reconcile(context, key, signal),
    };
  },
});

async function reconcile(context: ControllerContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const volume = context.informers.of(persistentVolumes).find(parseKey(key));
  const finalizers = volume === undefined ? undefined : planVolumeFinalizers(volume);
  if (volume === undefined || finalizers === undefined) return done;
  try {
    const next = { ...volume, metadata: { ...volume.metadata, finalizers } };
    await context.client.update(persistentVolumes, next, { signal });
    return done;
  } catch (error) {
    if (isApiError(error, "NotFound")) return done;
    if (isApiError(error, "Conflict")) return { retryAfterMs: conflictRetryMs };
    throw error;
  }
}
