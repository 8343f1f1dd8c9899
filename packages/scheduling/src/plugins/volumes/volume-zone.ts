import type { PersistentVolume } from "@kintsugi/api";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { Plugin } from "../../framework/plugin.ts";
import { fits, neverFits } from "../../framework/verdict.ts";
import { boundVolumesOf, podUsesClaim } from "./pod-claims.ts";

/** Labels of volumes that limit them to zones, and the label of nodes to which each corresponds. */
const zoneLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region": "topology.kubernetes.io/region",
};

interface Topology {
  /** The label as the volume has it. */
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** A volume of a zone is used in that zone, if the labels of the volume restrict it. */
export const volumeZone: Plugin = {
  name: "VolumeZone",
  filterReads: "node",
  filter: ({ pod }, { storage }) => {
    const topologies = boundVolumesOf(pod, storage).flatMap(topologiesOf);
    if (topologies.length === 0) return "anything";
    return {
      check: (node) =>
        !hasZone(node) || topologies.every((topology) => isIn(node, topology))
          ? fits
          : neverFits({ code: "VolumeZone" }),
    };
  },
  mayHelp: ({ pod }, event) => {
    switch (event.is) {
      case "NodeAdd":
      case "PersistentVolumeAdd":
      case "PersistentVolumeUpdate":
        return true;
      case "NodeUpdate":
        return event.changed.labels;
      case "PersistentVolumeClaimAdd":
      case "PersistentVolumeClaimUpdate":
        return podUsesClaim(pod, event.claim.metadata);
      default:
        return false;
    }
  },
};

/** Several zones of one volume are joined by "__", as in "us-east1-a__us-east1-b". */
function topologiesOf({ metadata }: PersistentVolume): Topology[] {
  return Object.entries(metadata.labels ?? {}).flatMap(([key, value]) =>
    Object.hasOwn(zoneLabels, key) ? [{ key, values: new Set(value.split("__")) }] : [],
  );
}

/** A cluster whose nodes have no zone labels is one zone. */
function hasZone({ labels }: NodeInfo): boolean {
  return Object.keys(zoneLabels).some((key) => labels[key] !== undefined);
}

function isIn({ labels }: NodeInfo, { key, values }: Topology): boolean {
  return values.has(labels[key] ?? labels[zoneLabels[key] ?? key] ?? "");
}
