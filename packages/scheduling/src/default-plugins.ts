import { avoidNodes } from "./plugins/avoid-nodes.ts";
import { balancedAllocation } from "./plugins/balanced-allocation.ts";
import { dynamicResources } from "./plugins/devices/dynamic-resources.ts";
import { imageLocality } from "./plugins/image-locality.ts";
import { interPodAffinity } from "./plugins/affinity/inter-pod-affinity.ts";
import { nodeAffinity } from "./plugins/node-affinity.ts";
import { nodeName } from "./plugins/node-name.ts";
import { nodeOs } from "./plugins/node-os.ts";
import { nodePorts } from "./plugins/node-ports.ts";
import { nodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { resourcesFit } from "./plugins/resources-fit.ts";
import { taintToleration } from "./plugins/taint-toleration.ts";
import { topologySpread } from "./plugins/spread/topology-spread.ts";
import { nodeVolumeLimits } from "./plugins/volumes/node-volume-limits.ts";
import { volumeBinding } from "./plugins/volumes/volume-binding.ts";
import { volumeRestrictions } from "./plugins/volumes/volume-restrictions.ts";
import { volumeZone } from "./plugins/volumes/volume-zone.ts";
import type { Plugin } from "./framework/plugin.ts";

/**
 * Upstream's default set, in its order: the first plugin that rejects a node provides the reason.
 * This project's plugins are last.
 */
export const defaultPlugins: readonly Plugin[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  resourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  topologySpread,
  interPodAffinity,
  dynamicResources,
  balancedAllocation,
  imageLocality,
  nodeOs,
  avoidNodes,
];
