import { type ProfileName, profiles } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Explanation, explanationText, withCommandsHere } from "@kintsugi/explanation";
import { explainNamed, NotExplainable, parseExplainTarget } from "@kintsugi/explanation/reading";
import { findCluster } from "@kintsugi/lab";
import { type AccessOptions, wayTo, withClient } from "../base/cluster-access.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { type Command, CommandError, type CommandContext } from "../base/command.ts";
import { outputOption, profileOption } from "../base/option-values.ts";

interface ExplainOptions extends AccessOptions {
  namespace: string;
  output: string;
  profile?: ProfileName;
}

export const explain: Command = {
  declare(program, run) {
    program
      .command("explain <object...>")
      .description(
        "Explain the state of an object: its cause, the awaited event and its time, and the actions that would change the state",
      )
      .option("-n, --namespace <namespace>", "namespace of the object", "default")
      .addOption(new ClusterOption("reads", "--name <name>"))
      .option(...kubeconfigOption)
      .addOption(outputOption())
      .addOption(profileOption().default(undefined, "the profile of the cluster, if the cluster is on this host"))
      .addHelpText(
        "after",
        "\nExamples:\n  kintsugi explain pod web-0\n  kintsugi explain node node-2\n  kintsugi explain workload web -n shop\n  kintsugi explain deployment/web -o json",
      )
      .action(
        run(async (context, words: string[], options: ExplainOptions) => {
          await withClient(context, options, async (client) => {
            const explanation = withCommandsHere(await explained(context, { client, words, options }), wayTo(options));
            if (options.output === "json") return context.terminal.out(JSON.stringify(explanation, null, 2));
            for (const line of explanationText(explanation, context.clock.nowMs())) context.terminal.out(line);
          });
        }),
      );
  },
};

async function explained(
  { clock }: CommandContext,
  { client, words, options }: { client: Client; words: readonly string[]; options: ExplainOptions },
): Promise<Explanation> {
  try {
    const named = { target: parseExplainTarget(words), namespace: options.namespace };
    const timers = profiles[options.profile ?? (await profileOf(options))];
    return await explainNamed(client, named, { timers, nowMs: () => clock.nowMs() });
  } catch (error) {
    throw error instanceof NotExplainable ? new CommandError(error.message) : error;
  }
}

/** The profile of a remote cluster is unknown here. */
async function profileOf({ name, kubeconfig }: ExplainOptions): Promise<ProfileName> {
  const cluster = kubeconfig === undefined ? await findCluster(name) : undefined;
  return cluster?.spec.profile ?? "default";
}
