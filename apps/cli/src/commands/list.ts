import { textTable, contextName } from "@kintsugi/api";
import { existsSync } from "node:fs";
import { hasEntry, kubeconfigPath, readKubeconfigDocument } from "@kintsugi/client";
import {
  createControlClient,
  findCluster,
  type KnownCluster,
  listClusterNames,
  type SupervisorStatus,
} from "@kintsugi/lab";
import { choiceIn } from "../base/cluster-choice.ts";
import type { Command, CommandContext } from "../base/command.ts";
import { outputOption } from "../base/option-values.ts";

/** A short description of a cluster of this host; `kintsugi status` prints more. */
export interface ListedCluster {
  name: string;
  state: LabState;
  nodes: number;
  api: string;
  /** The context of kubectl; null if the kubeconfig has no context for it. */
  context: string | null;
  /** The cluster is the default of commands without --name. */
  isDefault: boolean;
}

export type LabState = "running" | "starting" | "stopped" | "without supervisor";

export const list: Command = {
  declare(program, run) {
    program
      .command("list")
      .description("List the clusters of this host; * marks the cluster that commands without --name use")
      .option("--kubeconfig <file>", "kubeconfig with their contexts (default: kubectl's kubeconfig)")
      .addOption(outputOption())
      .action(
        run(async (context, options: { kubeconfig?: string; output: string }) => {
          const clusters = await listClusters(context, options);
          if (options.output === "json") return context.terminal.out(JSON.stringify(clusters, null, 2));
          if (clusters.length === 0)
            return context.terminal.say("There are no clusters on this host; `kintsugi up` creates one.");
          for (const line of listText(clusters)) context.terminal.out(line);
        }),
      );
  },
};

async function listClusters(
  { config }: CommandContext,
  options: { kubeconfig?: string },
): Promise<readonly ListedCluster[]> {
  const known = (await Promise.all((await listClusterNames()).map(findCluster))).filter((each) => each !== undefined);
  const document = readKubeconfigDocument(kubeconfigPath(options.kubeconfig, config.environment));
  const { name: byDefault } = await choiceIn(config, options);
  return await Promise.all(
    known.map(async (cluster) => {
      const { name, nodes, apiPort } = cluster.spec;
      return {
        name,
        state: await observeState(cluster),
        nodes: nodes.length,
        api: `https://127.0.0.1:${apiPort}`,
        context: hasEntry(document, contextName(name)) ? contextName(name) : null,
        isDefault: name === byDefault,
      };
    }),
  );
}

async function observeState({ paths }: KnownCluster): Promise<LabState> {
  const supervisor = await createControlClient(paths.supervisorSocket).status();
  return labStateOf(supervisor, { hasRunDirectory: existsSync(paths.run) });
}

/** Returns the state of a cluster; its run directory exists from its start to its stop. */
export function labStateOf(
  supervisor: Pick<SupervisorStatus, "settled"> | undefined,
  { hasRunDirectory }: { hasRunDirectory: boolean },
): LabState {
  if (supervisor === undefined) return hasRunDirectory ? "without supervisor" : "stopped";
  return supervisor.settled ? "running" : "starting";
}

/** Writes the clusters as a table for people. */
export function listText(clusters: readonly ListedCluster[]): string[] {
  const rows = clusters.map(({ name, state, nodes, api, context, isDefault }) => [
    isDefault ? "*" : "",
    name,
    state,
    String(nodes),
    api,
    context ?? "-",
  ]);
  return textTable(["", "NAME", "STATE", "NODES", "API", "CONTEXT"], rows);
}
