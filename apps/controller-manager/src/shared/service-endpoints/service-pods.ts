import {
  formatKey,
  isPodReady,
  keyOf,
  mapSelector,
  matchesLabels,
  type Pod,
  pods,
  sameJson,
  type Service,
  services,
} from "@kintsugi/api";
import type { Informer, InformerChange } from "@kintsugi/client";
import type { Informers } from "@kintsugi/controller";
import { podsWithLabels } from "../pods-with-labels.ts";

/** Services and the pods that they select, from the caches. */
export class ServicePods {
  readonly services: Informer<Service>;
  readonly #pods: Informer<Pod>;

  constructor(informers: Informers) {
    this.services = informers.of(services);
    this.#pods = informers.of(pods);
  }

  /** The pods that the Service selects; empty without a selector. */
  podsOf({ metadata, spec }: Service): Pod[] {
    const selector = mapSelector(spec?.selector);
    if (selector.nothing === true) return [];
    const near = podsWithLabels(this.#pods, metadata.namespace ?? "", spec?.selector);
    return near.filter((pod) => matchesLabels(selector, pod.metadata.labels));
  }

  /**
   * The Services whose endpoints this change may affect: Services that select the pod, or selected
   * it before.
   */
  keysFor(change: InformerChange<Pod>): Set<string> {
    if (change.type !== "modified") return this.#selecting(change.object);
    const { before, object: pod } = change;
    if (!isSeenInEndpoints(before, pod)) return new Set();
    const keys = this.#selecting(pod);
    if (!sameJson(before.metadata.labels, pod.metadata.labels))
      for (const key of this.#selecting(before)) keys.add(key);
    return keys;
  }

  #selecting({ metadata }: Pod): Set<string> {
    const keys = new Set<string>();
    for (const service of this.services.byIndex("namespace", metadata.namespace ?? "")) {
      if (matchesLabels(mapSelector(service.spec?.selector), metadata.labels)) keys.add(formatKey(keyOf(service)));
    }
    return keys;
  }
}

/**
 * Reports whether a change of a pod can affect endpoints. Most changes, such as changes of
 * containers' states and times, cannot.
 */
function isSeenInEndpoints(before: Pod, after: Pod): boolean {
  return (
    isPodReady(before) !== isPodReady(after) ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    before.status?.phase !== after.status?.phase ||
    before.spec?.nodeName !== after.spec?.nodeName ||
    !sameJson(before.status?.podIPs, after.status?.podIPs) ||
    !sameJson(before.metadata.labels, after.metadata.labels)
  );
}
