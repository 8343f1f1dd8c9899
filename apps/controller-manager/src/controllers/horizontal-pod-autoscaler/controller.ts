import { formatKey, horizontalPodAutoscalers, keyOf, sameJson } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { horizontalPodAutoscalerOptions } from "./options.ts";
import { AutoscalerReconciler } from "./reconciler.ts";
import { horizontalPodAutoscalerRole } from "@kintsugi/rules";

/** Adapts the number of pods of scaled objects to their load. */
export const horizontalPodAutoscalerController = defineController({
  name: "horizontal-pod-autoscaler",
  options: horizontalPodAutoscalerOptions,
  roles: [horizontalPodAutoscalerRole],
  events: "horizontal-pod-autoscaler",
  reads: [horizontalPodAutoscalers, indexedPods],
  create(context) {
    const reconciler = new AutoscalerReconciler(context);
    return {
      workers: context.options.hpaSyncs,
      keys: horizontalPodAutoscalers,
      watches: [
        // Each key is enqueued again after the sync period; an autoscaler's own status must not
        // wake it.
        on(horizontalPodAutoscalers, (change) => {
          const isOldNews = change.type === "modified" && sameJson(change.before.spec, change.object.spec);
          return isOldNews ? [] : [formatKey(keyOf(change.object))];
        }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});
