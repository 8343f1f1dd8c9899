import type { ApiObject, ReplicaSet } from "@kintsugi/api";
import type { SimulatedCluster } from "../cluster.ts";
import { recordedMove } from "../invariants/observed/moves.ts";
import { nameOf } from "../invariants/observed/known.ts";
import { parseValue } from "../reading.ts";

const ownerResources = ["apps/replicasets", "core/replicationcontrollers", "apps/statefulsets"] as const;

/**
 * Lists the owners with a move that has begun and not ended. A set that a rollout has emptied
 * retains its record, and does not wait for a replacement.
 */
export function unfinishedMoves({ store }: Pick<SimulatedCluster, "store">, namespace: string): string[] {
  return ownerResources
    .flatMap((resource) => store.list(`${resource}/${namespace}/`).entries)
    .map(({ value }) => parseValue<ApiObject & Pick<ReplicaSet, "spec">>(value))
    .filter((owner) => recordedMove(owner) !== "" && owner.spec?.replicas !== 0)
    .map((owner) => `the move of pod ${recordedMove(owner)} of ${nameOf(owner)} has not ended`);
}
