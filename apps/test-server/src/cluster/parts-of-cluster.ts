import { type ConfigMap, zoneLabel } from "@kintsugi/api";
import { decodeEntry } from "@kintsugi/api-server/factory";
import type { ConfigMapReader, FleetOptions } from "@kintsugi/hollow/factory";
import type { CommittedStore } from "@kintsugi/simulation";

/** ConfigMaps as they are stored, so that nodes can read them while the API server is down. */
export function configMapsIn(store: CommittedStore): ConfigMapReader {
  return (namespace, name) => {
    const key = `core/configmaps/${namespace}/${name}`;
    const entry = store.list(key, { limit: 1 }).entries.find((each) => each.key === key);
    return entry && (decodeEntry(entry) as ConfigMap).data;
  };
}

/** The machines under the nodes, in the view of faults and of a cloud. */
export function machinesOf({
  fleet,
}: {
  fleet: Pick<FleetOptions, "kubelets">;
}): { name: string; zone: string | undefined }[] {
  return fleet.kubelets.map(({ nodeName, labels }) => ({ name: nodeName, zone: labels[zoneLabel] }));
}
