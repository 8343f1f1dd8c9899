import { join } from "node:path";
import { nodePaths, nodeSystemCgroup } from "../cluster/cluster-paths.ts";
import type { NodeSpec } from "../cluster/cluster-spec.ts";
import type { Component } from "../cluster/component.ts";
import { nodeAddresses } from "../network/addresses.ts";
import { type ClusterLayout, flags, settingArgs } from "./components.ts";

/** The name of the driver of simulated devices, and of their class. */
export const labDevicesName = "device.lab.kintsugi.dev";

/**
 * The driver of the node's devices, which has the node's own rights and network; it ends with the
 * node.
 */
export function nodeDevicesComponent(layout: ClusterLayout, node: NodeSpec): Component {
  const { spec, paths, programs } = layout;
  const own = nodePaths(paths, node);
  return {
    id: nodeDevicesId(node),
    command: [
      ...programs.deviceLab,
      ...flags({
        kubeconfig: own.kubeconfig,
        "driver-name": labDevicesName,
        "node-name": node.name,
        directory: own.devices,
        "cdi-dir": own.cdi,
        socket: own.devicesSocket,
        "registration-socket": join(own.pluginSockets, `${labDevicesName}-reg.sock`),
      }),
      ...settingArgs(layout, "device-lab"),
    ],
    cgroup: nodeSystemCgroup(spec, node),
    namespacePath: nodeAddresses(spec, node).namespacePath,
    logFile: join(paths.logs, `device-lab-${node.name}.log`),
  };
}

export function nodeDevicesId(node: NodeSpec): string {
  return `device-lab@${node.name}`;
}
