import { type Kind, type Node, nodes } from "@kintsugi/api";
import type { StartObject, StartState } from "@kintsugi/rehearsal";
import { parseValue } from "@kintsugi/simulation";
import type { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";

/** Returns the stored objects of these kinds, for a start from this moment. */
export function clusterState(
  { store, clock }: RehearsedCluster,
  kinds: Iterable<Kind>,
): Pick<StartState, "takenAtMs" | "objects" | "nodes"> {
  const objects = [...kinds].flatMap((kind) =>
    store
      .list(`${kind.type.group || "core"}/${kind.type.resource}/`)
      .entries.map(({ value }): StartObject => ({ kind, object: parseValue(value) })),
  );
  const ownNodes = objects.filter(({ kind }) => kind.type.resource === nodes.resource);
  return { takenAtMs: clock.nowMs(), objects, nodes: ownNodes.map(({ object }) => object as Node) };
}
