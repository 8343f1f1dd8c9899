import { collectionPath, parseKey, type ResourceQuota, resourceQuotas, type ResourceType } from "@kintsugi/api";
import { discoverTypes } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import { countName, isCountedKind, kindOfQuotaName, type QuotaUsage, wholeQuantity } from "@kintsugi/rules";
import type { ControllerContext } from "../../context.ts";
import type { CountedObjects } from "./counted-objects.ts";
import type { resourceQuotaOptions } from "./options.ts";
import { type Counted, planQuota } from "./plan.ts";

type Context = ControllerContext<typeof resourceQuotaOptions>;

/** Counts for one quota, and writes its status. */
export class QuotaReconciler implements Reconciler {
  readonly #context: Context;
  readonly #objects: CountedObjects;

  constructor(context: Context, objects: CountedObjects) {
    this.#context = context;
    this.#objects = objects;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, client, informers, options } = this.#context;
    const quota = informers.of(resourceQuotas).find(parseKey(key));
    if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return done;
    const counted = await this.#count(quota, signal);
    const { status, recountAfterMs = Infinity } = planQuota(quota, counted, clock.nowMs());
    // The write names the revision that was read; a quota that has changed is counted again.
    if (status !== undefined)
      await client.update(resourceQuotas, { ...quota, status }, { subresource: "status", signal });
    return { retryAfterMs: Math.min(recountAfterMs, options.resourceQuotaSyncPeriodMs) };
  }

  async #count(quota: ResourceQuota, signal: AbortSignal): Promise<Counted> {
    const namespace = quota.metadata.namespace ?? "";
    const usages: QuotaUsage[] = [];
    const names: string[] = [];
    const counted = new Set<string>();
    for (const name of Object.keys(quota.spec?.hard ?? {})) {
      const kind = kindOfQuotaName(name);
      if (kind === undefined || !isCountedKind(kind)) continue;
      const type = this.#objects.typeOf(kind);
      const known = type === undefined ? await this.#countRemote(kind, namespace, signal) : undefined;
      if (type === undefined && known === undefined) continue;
      names.push(name);
      if (counted.has(countName(kind))) continue;
      counted.add(countName(kind));
      usages.push(...(known ?? this.#objects.usagesIn(type as ResourceType, namespace)));
    }
    return { usages, names };
  }

  /**
   * Counts objects of a kind that is not cached, such as a kind of a CustomResourceDefinition;
   * undefined if the kind is not served.
   */
  async #countRemote(
    kind: Pick<ResourceType, "group" | "resource">,
    namespace: string,
    signal: AbortSignal,
  ): Promise<QuotaUsage[] | undefined> {
    const { client } = this.#context;
    const { types } = await discoverTypes(client, signal);
    const type = types.find((each) => each.namespaced && countName(each) === countName(kind));
    if (type === undefined) return undefined;
    const path = `${collectionPath(type, namespace)}?limit=1`;
    const list = (await client.call({ method: "GET", path, signal })) as PartialList;
    const count = (list.items?.length ?? 0) + (list.metadata?.remainingItemCount ?? 0);
    return [{ amounts: new Map([[countName(kind), wholeQuantity(count)]]), scopes: new Map() }];
  }
}

/** The first object of a list, and the number of the remaining objects. */
interface PartialList {
  items?: unknown[];
  metadata?: { remainingItemCount?: number };
}
