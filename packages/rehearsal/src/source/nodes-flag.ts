import { isQuantity, zoneLabel, hostnameLabel } from "@kintsugi/api";
import type { RawObject } from "./raw-object.ts";
import { UnreadableSource } from "./unreadable.ts";

/** Maximum number of nodes in a simulation. */
const nodesMax = 1000;

const example = "--nodes 3x4cpu16Gi@a,b,c";

/**
 * The nodes that a short text describes: "3x4cpu16Gi@a,b,c" is three nodes of 4 processors and
 * 16 GiB, spread over the zones a, b and c; several groups are joined by "+".
 * @throws UnreadableSource
 */
export function nodesFromFlag(text: string): RawObject[] {
  const groups = text.split("+").map(groupOf);
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  if (total > nodesMax) throw new UnreadableSource(`--nodes ${text}: ${total} nodes are more than ${nodesMax}`);
  let number = 0;
  return groups.flatMap((group) =>
    Array.from({ length: group.count }, (_, index) => nodeOf(`node-${++number}`, group, index)),
  );
}

interface NodeGroup {
  readonly count: number;
  readonly cpu: string;
  readonly memory: string;
  readonly zones: readonly string[];
}

function groupOf(text: string): NodeGroup {
  const match = /^(\d+)x(\d+(?:\.\d+)?)cpu(\d+(?:\.\d+)?[KMGT]i?)(?:@([a-z0-9.,-]+))?$/i.exec(text.trim());
  const [, count = "", cpu = "", memory = "", zones = ""] = match ?? [];
  if (match === null || Number(count) < 1 || !isQuantity(memory))
    throw new UnreadableSource(
      `--nodes ${text} is not understood: write count, processors, memory and zones, as in ${example}`,
    );
  return { count: Number(count), cpu, memory, zones: zones.split(",").filter((zone) => zone !== "") };
}

function nodeOf(name: string, { cpu, memory, zones }: NodeGroup, index: number): RawObject {
  const zone = zones[index % Math.max(1, zones.length)];
  const resources = { cpu, memory, "ephemeral-storage": "100Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        [hostnameLabel]: name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        ...(zone === undefined ? {} : { [zoneLabel]: zone }),
      },
    },
    spec: {},
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "described by --nodes" }],
    },
  };
}
