import { type ApiObject, formatKey, keyOf, type ResourceQuota, resourceQuotas, sameJson } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { on } from "@kintsugi/controller";
import { describeAmounts, limitedNames, type QuotaUsage, resourceQuotaRole } from "@kintsugi/rules";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { CountedObjects, countedKinds } from "./counted-objects.ts";
import { resourceQuotaOptions } from "./options.ts";
import { QuotaReconciler } from "./reconciler.ts";

/**
 * Objects are created and deleted in batches, so the quota is counted once for all changes within
 * this time. The status informs people and tools, while admission counts for itself.
 */
const countAfterMs = 100;

/** Updates the status of each ResourceQuota: upstream's pkg/controller/resourcequota. */
export const resourceQuotaController = defineController({
  name: "resourcequota",
  options: resourceQuotaOptions,
  roles: [resourceQuotaRole],
  reads: (served) => [resourceQuotas, indexedPods, ...countedKinds(served)],
  create(context) {
    const quotas = context.informers.of(resourceQuotas);
    const objects = new CountedObjects(context.informers, countedKinds(context.served));
    const reconciler = new QuotaReconciler(context, objects);
    const isSameUse = (type: (typeof objects.types)[number], change: InformerChange<ApiObject>) =>
      change.type === "modified" && sameUse(objects.measure(type, change.object), objects.measure(type, change.before));
    return {
      queue: "resourcequota_primary",
      workers: context.options.concurrentResourceQuotaSyncs,
      keys: resourceQuotas,
      watches: [
        on(resourceQuotas, (change) => (isSameSpec(change) ? [] : [formatKey(keyOf(change.object))])),
        ...objects.types.map((type) =>
          on<ApiObject>(
            type,
            (change) => {
              const { namespace } = change.object.metadata;
              const near = quotas.list().filter(({ metadata }) => metadata.namespace === namespace);
              const limiting = near.filter((quota) => limitedNames(quota, type).length > 0);
              if (limiting.length === 0 || isSameUse(type, change)) return [];
              return limiting.map((quota) => formatKey(keyOf(quota)));
            },
            { afterMs: countAfterMs },
          ),
        ),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

/**
 * Reports whether spec and status are unchanged. A new spec requires another count, and so does a
 * status that another client wrote.
 */
function isSameSpec(change: InformerChange<ResourceQuota>): boolean {
  if (change.type !== "modified") return change.type === "deleted";
  return sameJson(change.object.spec, change.before.spec) && sameJson(change.object.status, change.before.status);
}

function sameUse(a: QuotaUsage, b: QuotaUsage): boolean {
  const scopes = ({ scopes: each }: QuotaUsage) => [...each].map((scope) => scope.join(" ")).join(",");
  return (
    describeAmounts(a.amounts) === describeAmounts(b.amounts) &&
    a.countedUntilMs === b.countedUntilMs &&
    scopes(a) === scopes(b)
  );
}
