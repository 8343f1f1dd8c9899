import { textTable } from "@kintsugi/api";
import { createControlClient, findNode, type NodeAction, type SupervisorStatus } from "@kintsugi/lab";
import { clusterNamed, supervisorAway } from "../base/cluster-access.ts";
import { durationOption } from "../base/option-values.ts";
import {
  addNode,
  type AddOptions,
  collectKubeletArg,
  collectLabel,
  collectTaint,
  removeNode,
  type RemoveOptions,
} from "../topology/node-commands.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command } from "../base/command.ts";
import { reportOn } from "./status.ts";

const actions: Readonly<Record<NodeAction, { does: string; said: string }>> = {
  kill: { does: "Kill every process of a node and cut its cable", said: "is off" },
  fence: { does: "Let the cluster replace the pods of a killed node immediately", said: "is out of service" },
  return: { does: "Switch a killed node on again, and undo all other faults", said: "is back on" },
  reboot: { does: "Kill every process of a node and switch it on again", said: "was rebooted" },
  "stop-kubelet": { does: "Stop a node's kubelet; its containers keep running", said: "has no kubelet" },
  "start-kubelet": { does: "Start a node's kubelet again", said: "has its kubelet" },
  partition: { does: "Cut a node's cable; everything on it keeps running", said: "is cut off" },
  heal: { does: "Mend a node's cable", said: "is connected" },
};

export const node: Command = {
  declare(program, run) {
    const group = program.command("node").description("List, add and remove nodes, and cause machine faults");
    group
      .command("list")
      .description("List the nodes and their faults")
      .addOption(new ClusterOption("reads"))
      .action(
        run(async (context, options: { name: string }) => {
          const report = await reportOn(context, await clusterNamed(options.name));
          const rows = report.nodes.map((entry) => [entry.name, entry.power, entry.link, entry.kubelet, entry.ready]);
          for (const line of textTable(["NODE", "POWER", "LINK", "KUBELET", "STATUS"], rows))
            context.terminal.out(line);
        }),
      );
    group
      .command("add [node]")
      .description("Add a node to a cluster that is up")
      .addOption(new ClusterOption("changes"))
      .option("--zone <zone>", "zone of the node")
      .option("--label <key=value>", "label of the node; may be repeated", collectLabel)
      .option("--taint <key=value:effect>", "taint of the node; may be repeated", collectTaint)
      .option("--kubelet-arg <name=value>", "additional flag of its kubelet; may be repeated", collectKubeletArg)
      .addOption(durationOption("--wait <duration>", "time to wait until pods can run on it; 0 does not wait", "1m"))
      .action(run((context, target: string | undefined, options: AddOptions) => addNode(context, target, options)));
    group
      .command("remove <node>")
      .description("Drain a node and remove it with its data")
      .addOption(new ClusterOption("changes"))
      .option("--force", "remove the node without draining it")
      .addOption(durationOption("--timeout <duration>", "timeout of the drain; 0 means no timeout", "5m"))
      .action(run((context, target: string, options: RemoveOptions) => removeNode(context, target, options)));
    for (const [action, { does, said }] of Object.entries(actions) as [NodeAction, { does: string; said: string }][]) {
      const command = group.command(`${action} <node>`).description(does).addOption(new ClusterOption("changes"));
      if (action === "kill") command.option("--fence", `${actions.fence.does} (also: node fence)`);
      command.action(
        run(async (context, target: string, options: { name: string; fence?: true }) => {
          const perform = (action: NodeAction, said: string) =>
            context.terminal.step({ doing: `${target}: ${action}`, done: `${target} ${said}` }, () =>
              actOnNode({ cluster: options.name, node: target, action }),
            );
          await perform(action, said);
          if (options.fence) await perform("fence", actions.fence.said);
        }),
      );
    }
  },
};

export interface NodeRequest {
  cluster: string;
  node: string;
  action: NodeAction;
}

/**
 * Sends the action to the cluster's supervisor.
 * @throws CommandError when the supervisor is not running; Refused when the action is invalid now.
 */
export async function actOnNode(request: NodeRequest): Promise<SupervisorStatus> {
  const cluster = await clusterNamed(request.cluster);
  findNode(cluster.spec, request.node);
  const status = await createControlClient(cluster.paths.supervisorSocket).act(request.node, request.action);
  if (status) return status;
  throw supervisorAway(request.cluster);
}
