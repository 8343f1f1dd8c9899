import { existsSync } from "node:fs";
import { contextName } from "@kintsugi/api";
import { changeKubeconfigFile, hasEntry, kubeconfigPath, readKubeconfigDocument, withoutEntry } from "@kintsugi/client";
import { findLeftovers, listClusterNames, tearDown } from "@kintsugi/lab";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";

export const down: Command = {
  declare(program, run) {
    program
      .command("down")
      .description("Remove a cluster: its processes, containers, network, data and kubectl context")
      .addOption(new ClusterOption("changes"))
      .option("--all", "every cluster on this host")
      .option("--kubeconfig <file>", "kubeconfig with its context (default: kubectl's kubeconfig)")
      .action(
        run(async (context, options: { name: string; all?: boolean; kubeconfig?: string }) => {
          const names = options.all ? await listClusterNames() : [options.name];
          if (names.length === 0) context.terminal.say("There are no clusters.");
          for (const name of names) await takeDown(context, name, options.kubeconfig);
        }),
      );
  },
};

/** Removes every part of one cluster; harmless when the cluster does not exist. */
export async function takeDown(context: CommandContext, name: string, explicit?: string): Promise<void> {
  const { clock, config } = context;
  if (config.host.uid !== 0) throw new CommandError("only root can remove a cluster: run the command with sudo");
  await removeAll(context, name);
  const file = kubeconfigPath(explicit, config.environment);
  if (existsSync(file) && hasEntry(readKubeconfigDocument(file), contextName(name))) {
    await changeKubeconfigFile({ clock }, file, (document) => withoutEntry(document, contextName(name)));
  }
}

/**
 * Removes the cluster, including leftovers that no check finds, such as network links after a
 * crash.
 */
async function removeAll({ clock, terminal }: CommandContext, name: string): Promise<void> {
  if ((await findLeftovers(name)).length > 0) {
    await terminal.step(`Removing cluster "${name}"`, () => tearDown(clock, name));
    return;
  }
  await tearDown(clock, name);
  const others = await listClusterNames();
  terminal.say(
    `There is no cluster "${name}", so nothing was removed.${others.length === 0 ? "" : ` Clusters of this host: ${others.join(", ")}.`}`,
  );
}
