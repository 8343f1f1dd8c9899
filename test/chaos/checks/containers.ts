import { pods } from "@kintsugi/api";
import type { ChaosCluster } from "../cluster/chaos-cluster.ts";
import type { ChaosViolation } from "./violation.ts";

/** The identity of a pod's containers by its uid, which is unchanged while they run undisturbed. */
export type Containers = ReadonlyMap<string, string>;

export async function observeContainers({ client }: ChaosCluster): Promise<Containers> {
  const { items } = await client.list(pods, { namespace: "default" });
  return new Map(
    items.map(({ metadata, status }) => {
      const containers = (status?.containerStatuses ?? []).map(
        ({ name, containerID, restartCount }) => `${name}=${containerID} after ${restartCount} restarts`,
      );
      return [metadata.uid ?? "", containers.join(", ")];
    }),
  );
}

/** Lists the containers that a fault changed, although it must not affect containers. */
export function containersChanged(
  before: Containers,
  after: Containers,
  keeps: "pods" | "containers",
): ChaosViolation[] {
  return [...before].flatMap(([uid, containers]) => {
    const now = after.get(uid);
    if (now === undefined && keeps === "containers") return [];
    if (now === undefined) return [{ invariant: "running-containers-are-kept", message: `pod ${uid} is gone` }];
    return now === containers
      ? []
      : [{ invariant: "running-containers-are-kept", message: `pod ${uid} had ${containers}, and has ${now}` }];
  });
}
