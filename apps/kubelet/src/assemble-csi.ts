import { CsiNodeEntry } from "./containers/volumes/csi/csi-node-entry.ts";
import { CsiVolumes } from "./containers/volumes/csi/csi-volumes.ts";
import { DriverRegistry } from "./containers/volumes/csi/driver-registry.ts";
import type { KubeletContext } from "./kubelet-context.ts";

/** The parts that work with the node's storage drivers. */
export interface CsiLoops {
  readonly registry: DriverRegistry;
  readonly volumes: CsiVolumes;
}

/**
 * Returns undefined where the node has no place for drivers. The volumes of an earlier kubelet are
 * known.
 */
export async function assembleCsi(context: KubeletContext): Promise<CsiLoops | undefined> {
  const { csi: access, client, clock, log, node, copies } = context;
  if (access === undefined) return undefined;
  const entry = new CsiNodeEntry({ client }, node.nodeName);
  const registry = new DriverRegistry({ access, clock, log, entry });
  const volumes = new CsiVolumes({ ...context, registry, ownNode: () => copies.node.list()[0] });
  await volumes.load();
  return { registry, volumes };
}
