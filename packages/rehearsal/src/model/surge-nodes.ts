import { type Node, nodes, hostnameLabel } from "@kintsugi/api";
import type { StartState } from "./start-state.ts";

/** The same start with additional empty nodes, each a copy of an existing node. */
export function withSurge(start: StartState, count: number): StartState {
  const kind = start.objects.find((each) => each.kind.type.resource === nodes.resource)?.kind;
  if (count === 0 || kind === undefined) return start;
  const added = Array.from({ length: count }, (_, index) =>
    surgeNode(start.nodes[index % start.nodes.length] as Node, index + 1),
  );
  return {
    ...start,
    unfinishedKeys: undefined,
    nodes: [...start.nodes, ...added],
    objects: [...start.objects, ...added.map((object) => ({ kind, object }))],
  };
}

function surgeNode(like: Node, number: number): Node {
  const name = `surge-${number}`;
  const { podCIDR: _, podCIDRs: _all, unschedulable: _cordoned, taints: _taints, ...spec } = like.spec ?? {};
  const { addresses: _addresses, images: _images, ...status } = like.status ?? {};
  return {
    ...like,
    metadata: {
      name,
      uid: `node-${name}`,
      creationTimestamp: like.metadata.creationTimestamp,
      labels: { ...like.metadata.labels, [hostnameLabel]: name },
    },
    spec,
    status,
  } as Node;
}
