import {
  type ApiObject,
  controllerOf,
  isPodActive,
  type Pod,
  rebalanceRecordAnnotation,
  replicaSets,
  replicationControllers,
  type ResourceType,
  statefulSets,
} from "@kintsugi/api";
import { parsed } from "./seen-request.ts";
import { controllerManager } from "./forced-deletions.ts";
import type { Seen } from "../invariant.ts";
import type { Known } from "./known-objects.ts";

/** The kinds whose pods a rebalance may move. */
const ownerTypes: readonly ResourceType<PodOwner>[] = [replicaSets, replicationControllers, statefulSets];

export type PodOwner = ApiObject & { spec?: { replicas?: number | undefined } | undefined };

/** The UID of the pod that a rebalance moves, by the record on its owner; "" without a move. */
export function recordedMove(owner: ApiObject): string {
  return recordOf(owner).move?.uid ?? "";
}

/** True if no further pod of the owner may move while the nodes are unchanged. */
export function isGivenUp(owner: ApiObject): boolean {
  return recordOf(owner).blocked !== undefined;
}

function recordOf({ metadata }: ApiObject): { move?: { uid?: string }; blocked?: string } {
  const text = metadata.annotations?.[rebalanceRecordAnnotation];
  return text === undefined ? {} : (parsed(Buffer.from(text)) as { move?: { uid?: string }; blocked?: string });
}

/**
 * True if the change is the end of a pod that the controller-manager evicts by the Eviction API.
 * Only its rebalance does so. If a user is about to delete the pod too, the author of the change is
 * unclear.
 */
export function isMove({ type, object, before }: Seen<Pod>, known: Pick<Known, "pending">): boolean {
  const wasActive = before !== undefined && isPodActive(before);
  if (!wasActive || (type === "put" && object.metadata.deletionTimestamp === undefined)) return false;
  const { namespace, name } = object.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const asked = [...known.pending.keys()].filter(
    (request) =>
      (request.method === "POST" && request.path.split("?", 1)[0] === `${path}/eviction`) ||
      (request.method === "DELETE" && request.path.split("?", 1)[0] === path),
  );
  return (
    asked.length > 0 && asked.every(({ method, identity }) => method === "POST" && identity.name === controllerManager)
  );
}

/** The pod's controller, if pods of its kind may move. */
export function ownerOfMoved(pod: Pod, known: Pick<Known, "of">): PodOwner | undefined {
  const uid = controllerOf(pod)?.uid;
  for (const owner of allOwners(known)) if (owner.metadata.uid === uid) return owner;
  return undefined;
}

/** All objects whose pods may move. */
export function* allOwners(known: Pick<Known, "of">): Iterable<PodOwner> {
  for (const type of ownerTypes) yield* known.of(type).values();
}
