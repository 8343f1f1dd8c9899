import { contextName } from "@kintsugi/api";
import { containerProcess, containersOfPods, ctrOn, findNode, type KnownCluster } from "@kintsugi/lab";
import { adminClient } from "../base/cluster-access.ts";
import type { CommandContext } from "../base/command.ts";
import { takeDown } from "../lifecycle/down.ts";
import { actOnNode } from "../commands/node.ts";
import { bringUp } from "../lifecycle/up-command.ts";
import type { UpOptions } from "../lifecycle/up-options.ts";
import { type Machines, type Stage, usualPatienceMs } from "./stage.ts";

/**
 * A cluster of `kintsugi up`, made for the demo. If it cannot be started, everything is removed.
 */
export async function openLabStage(context: CommandContext, options: UpOptions & { name: string }): Promise<Stage> {
  const { terminal } = context;
  const remove = () => takeDown({ ...context, signal: AbortSignal.any([]) }, options.name, options.kubeconfig);
  let cluster: KnownCluster;
  try {
    cluster = await bringUp(context, options);
  } catch (error) {
    await remove();
    throw error;
  }
  const client = adminClient(context, cluster);
  return {
    client,
    profile: cluster.spec.profile,
    patienceMs: usualPatienceMs,
    nodes: cluster.spec.nodes.map((node) => node.name),
    machines: labMachines(cluster),
    async leave({ keep }) {
      await client.close();
      if (!keep) return remove();
      terminal.say(
        `\nThe cluster stays up: kubectl get pods -o wide --context ${contextName(options.name)}\nTake it down with: kintsugi down --name ${options.name}`,
      );
    },
  };
}

function labMachines(cluster: KnownCluster): Machines {
  const act = async (node: string, action: "kill" | "return") => {
    await actOnNode({ cluster: cluster.spec.name, node, action });
  };
  const ctrOf = (node: string) => ctrOn(cluster, findNode(cluster.spec, node));
  return {
    kill: (node) => act(node, "kill"),
    return: (node) => act(node, "return"),
    async killContainer(node, containerId) {
      process.kill(await containerProcess(ctrOf(node), containerId), "SIGKILL");
    },
    containersOfPods: (node, podUids) => containersOfPods(ctrOf(node), podUids),
  };
}
