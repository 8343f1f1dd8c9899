import { isConditionTrue, nodes, type ProfileName } from "@kintsugi/api";
import { kubeconfigPath, loadKubeconfig } from "@kintsugi/client";
import { clientWith } from "../base/cluster-access.ts";
import { type CommandContext, CommandError } from "../base/command.ts";
import { runProgram } from "../base/run-program.ts";
import { removeWebServers } from "./cluster-view.ts";
import { machinesByShell, quoted } from "./machines-by-shell.ts";
import { type Stage, usualPatienceMs } from "./stage.ts";

export interface KubeconfigStageOptions {
  kubeconfig?: string;
  /** The timers of the cluster. */
  profile: ProfileName;
  /** Lines for `sh`, in which $NODE is the node's name. */
  stopNodeCommand?: string;
  startNodeCommand?: string;
  /**
   * A line for `sh`, in which $NODE is the node's name, and $COMMAND the command to be run on the
   * node as root.
   */
  nodeShellCommand?: string;
}

/** An existing cluster on any machines, if a command can switch its nodes off and on. */
export async function openKubeconfigStage(context: CommandContext, options: KubeconfigStageOptions): Promise<Stage> {
  const { config, terminal, signal } = context;
  const { stopNodeCommand, startNodeCommand, nodeShellCommand, profile } = options;
  if (stopNodeCommand === undefined || startNodeCommand === undefined) {
    throw new CommandError(
      "--on kubeconfig needs --stop-node-command and --start-node-command: lines for sh in which $NODE is the node's name",
    );
  }
  const file = kubeconfigPath(options.kubeconfig, config.environment);
  const client = clientWith(context, loadKubeconfig(file));
  const shell = (line: string, variables: Record<string, string>) =>
    runProgram({ environment: { ...config.inherited, ...variables }, signal }, "sh", ["-c", line]);
  if (nodeShellCommand === undefined)
    terminal.say("   --node-shell-command is not set, so containers are not crashed and nodes are not inspected");
  const { items } = await client.list(nodes, { signal });
  return {
    client,
    profile,
    patienceMs: usualPatienceMs,
    nodes: items
      .filter((node) => isConditionTrue(node.status?.conditions, "Ready") && node.spec?.unschedulable !== true)
      .map((node) => node.metadata.name ?? ""),
    machines: {
      kill: async (node) => void (await shell(stopNodeCommand, { NODE: node })),
      return: async (node) => void (await shell(startNodeCommand, { NODE: node })),
      ...(nodeShellCommand === undefined
        ? {}
        : machinesByShell((node, command) =>
            shell(nodeShellCommand, { NODE: node, COMMAND: command.map(quoted).join(" ") }),
          )),
    },
    async leave({ keep }) {
      if (!keep) await removeWebServers(client, terminal);
      await client.close();
    },
  };
}
