import { bytesQuantity, resourceAmounts } from "@kintsugi/api";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";
import type { PodStats } from "../stats/stats-api.ts";
import { type Observations, resourceOf, type StarvedResource } from "./signals.ts";
import { amountOf, type Threshold } from "./thresholds.ts";

export interface Shortage {
  /** The most urgent first. */
  thresholds: readonly Threshold[];
  observations: Observations;
}

/** Explains an eviction in upstream's words (eviction/helpers.go evictionMessage). */
export function evictionMessage(
  pod: BoundPod,
  stats: PodStats | undefined,
  { thresholds, observations }: Shortage,
): string {
  const [first] = thresholds;
  const resource: StarvedResource = first ? resourceOf[first.signal] : "memory";
  const threshold = thresholds.find(({ signal }) => resourceOf[signal] === resource && observations[signal]);
  const observed = threshold && observations[threshold.signal];
  const text = (amount: number) =>
    resource === "pids" || resource === "inodes" ? String(amount) : bytesQuantity(amount);
  const met =
    threshold && observed
      ? `Threshold quantity: ${text(amountOf(threshold.value, observed.capacity))}, available: ${text(observed.available)}. `
      : "";
  const guilty = (stats?.containers ?? []).map((container) => {
    const usage =
      resource === "memory"
        ? container.memory.workingSetBytes
        : resource === "ephemeral-storage" && container.rootfs && container.logs
          ? container.rootfs.usedBytes + container.logs.usedBytes
          : 0;
    const asked = containersOf(pod).find(({ name }) => name === container.name)?.resources?.requests;
    const request = resourceAmounts(asked)[resource] ?? 0;
    if (usage <= request) return "";
    return `Container ${container.name} was using ${bytesQuantity(usage)}, request is ${bytesQuantity(request)}, has larger consumption of ${resource}. `;
  });
  return `The node was low on resource: ${resource}. ${met}${guilty.join("")}`;
}
