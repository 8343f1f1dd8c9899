import { apiVersionOf, type CSINode, type CSINodeDriver, csiNodes, isApiError, type Node, nodes } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { DriverNodeInfo } from "@kintsugi/csi";

/** Other writers of the Node are its controllers, which write rarely. */
const conflictsMax = 10;

/**
 * Maintains the list of this node's drivers in its CSINode, and their topology in the Node's
 * labels.
 */
export class CsiNodeEntry {
  readonly #client: Client;
  readonly #nodeName: string;

  constructor({ client }: { client: Client }, nodeName: string) {
    this.#client = client;
    this.#nodeName = nodeName;
  }

  /** @throws Error when the API cannot be reached. */
  async put(driverName: string, info: DriverNodeInfo, signal: AbortSignal): Promise<void> {
    const segments = info.accessibleTopology?.segments ?? {};
    const node = await this.#changeNode(segments, signal);
    const entry: CSINodeDriver = {
      name: driverName,
      nodeID: info.nodeId,
      topologyKeys: Object.keys(segments).toSorted(),
      ...(info.maxVolumesPerNode > 0 ? { allocatable: { count: info.maxVolumesPerNode } } : {}),
    };
    await this.#changeDrivers(node, (drivers) => [...drivers.filter(({ name }) => name !== driverName), entry], signal);
  }

  async remove(driverName: string, signal: AbortSignal): Promise<void> {
    await this.#changeDrivers(undefined, (drivers) => drivers.filter(({ name }) => name !== driverName), signal);
  }

  async #changeNode(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Node> {
    for (let conflicts = 0; ; conflicts++) {
      const node = await this.#client.get(nodes, { namespace: "", name: this.#nodeName }, { signal });
      const present = node.metadata.labels ?? {};
      if (Object.entries(labels).every(([key, value]) => present[key] === value)) return node;
      const next = { ...node, metadata: { ...node.metadata, labels: { ...present, ...labels } } };
      try {
        return await this.#client.update(nodes, next, { signal });
      } catch (error) {
        if (!isApiError(error, "Conflict") || conflicts >= conflictsMax) throw error;
      }
    }
  }

  async #changeDrivers(
    owner: Node | undefined,
    change: (drivers: readonly CSINodeDriver[]) => CSINodeDriver[],
    signal: AbortSignal,
  ): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      const found = await this.#client.find(csiNodes, { namespace: "", name: this.#nodeName }, { signal });
      try {
        if (found !== undefined) {
          const next = { ...found, spec: { ...found.spec, drivers: change(found.spec.drivers) } };
          await this.#client.update(csiNodes, next, { signal });
        } else if (owner !== undefined) await this.#client.create(csiNodes, newCsiNode(owner, change([])), { signal });
        return;
      } catch (error) {
        if (!isApiError(error, "Conflict", "AlreadyExists") || conflicts >= conflictsMax) throw error;
      }
    }
  }
}

function newCsiNode({ metadata }: Node, drivers: CSINodeDriver[]): CSINode {
  const { name = "", uid = "" } = metadata;
  return {
    apiVersion: apiVersionOf(csiNodes),
    kind: csiNodes.kind,
    metadata: { name, ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] },
    spec: { drivers },
  };
}
