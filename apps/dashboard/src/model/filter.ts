import { type Bar, isTroubled, workloadKey, type WorkloadRef } from "@kintsugi/story";

/** The part of the cluster that is shown; "" shows all. */
export interface ShownPart {
  readonly namespace: string;
  /** The key of a workload. */
  readonly workload: string;
  readonly node: string;
  readonly onlyWarnings: boolean;
}

export const showAll: ShownPart = { namespace: "", workload: "", node: "", onlyWarnings: false };

/** Reports whether the filter shows a bar. */
export function shows(filter: ShownPart, bar: Bar, workloadOfBar: (bar: Bar) => WorkloadRef): boolean {
  if (filter.namespace !== "" && bar.namespace !== filter.namespace) return false;
  if (filter.node !== "" && bar.node !== filter.node) return false;
  if (filter.onlyWarnings && !isTroubled(bar)) return false;
  return filter.workload === "" || workloadKey(workloadOfBar(bar)) === filter.workload;
}
