import { existsSync } from "node:fs";
import { changeKubeconfigFile, hasEntry, kubeconfigPath, readKubeconfigDocument, withoutEntry } from "@kintsugi/client";
import { listClusterNames, tearDown } from "@kintsugi/lab";
import { contextName } from "../base/cluster-access.ts";
import { type Command, type CommandContext, CommandError, nameOption } from "../base/command.ts";

export const down: Command = {
  declare(program, run) {
    program
      .command("down")
      .description("Remove a cluster: its processes, containers, network, data and kubectl context")
      .option(...nameOption)
      .option("--all", "every cluster on this host")
      .option("--kubeconfig <file>", "kubeconfig that holds its context (default: that of kubectl)")
      .action(
        run(async (context, options: { name: string; all?: boolean; kubeconfig?: string }) => {
          const names = options.all ? await listClusterNames() : [options.name];
          if (names.length === 0) context.terminal.say("There are no clusters.");
          for (const name of names) await takeDown(context, name, options.kubeconfig);
        }),
      );
  },
};

/** Removes all of one cluster; harmless when there is none. */
export async function takeDown(context: CommandContext, name: string, explicit?: string): Promise<void> {
  const { clock, config, terminal } = context;
  if (config.host.uid !== 0) throw new CommandError("only root can remove a cluster: run the command with sudo");
  const existed = await terminal.step(`Removing cluster "${name}"`, () => tearDown(clock, name));
  if (!existed) terminal.say(`No cluster has the name "${name}".`);
  const file = kubeconfigPath(explicit, config.environment);
  if (existsSync(file) && hasEntry(readKubeconfigDocument(file), contextName(name))) {
    await changeKubeconfigFile({ clock }, file, (document) => withoutEntry(document, contextName(name)));
  }
}
