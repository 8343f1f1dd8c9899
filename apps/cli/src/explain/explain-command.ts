import { type ApiObject, isApiError, type ProfileName, profiles } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Explained, explainObject, type Explanation, explanationText } from "@kintsugi/explanation";
import { findCluster } from "@kintsugi/lab";
import { type AccessOptions, wayTo, withClient } from "../base/cluster-access.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { type Command, CommandError, type CommandContext } from "../base/command.ts";
import { outputOption, profileOption } from "../base/option-values.ts";
import { withCommandsHere } from "./commands-here.ts";
import { explainedTypes, parseExplainTarget, type ExplainTarget } from "./explain-target.ts";
import { readWorld } from "./read-world.ts";

interface ExplainOptions extends AccessOptions {
  namespace: string;
  output: string;
  profile?: ProfileName;
}

export const explain: Command = {
  declare(program, run) {
    program
      .command("explain <object...>")
      .description("Explain why an object is as it is, what it waits for, when that is due, and what would change it")
      .option("-n, --namespace <namespace>", "namespace of the object", "default")
      .addOption(new ClusterOption("reads", "--name <name>"))
      .option(...kubeconfigOption)
      .addOption(outputOption())
      .addOption(profileOption().default(undefined, "that of the cluster, if it is on this host"))
      .addHelpText(
        "after",
        "\nExamples:\n  kintsugi explain pod web-0\n  kintsugi explain node node-2\n  kintsugi explain workload web -n shop\n  kintsugi explain deployment/web -o json",
      )
      .action(
        run(async (context, words: string[], options: ExplainOptions) => {
          const target = parseExplainTarget(words);
          await withClient(context, options, async (client) => {
            const explanation = withCommandsHere(
              await explainTarget(context, { client, target, options }),
              wayTo(options),
            );
            if (options.output === "json") return context.terminal.out(JSON.stringify(explanation, null, 2));
            for (const line of explanationText(explanation, context.clock.nowMs())) context.terminal.out(line);
          });
        }),
      );
  },
};

async function explainTarget(
  { clock }: CommandContext,
  { client, target, options }: { client: Client; target: ExplainTarget; options: ExplainOptions },
): Promise<Explanation> {
  const { resource, object } = await findTarget(client, target, options.namespace);
  const timers = profiles[options.profile ?? (await profileOf(options))];
  const { world, unread } = await readWorld(client, { resource, object }, { timers, nowMs: () => clock.nowMs() });
  return explainObject(resource, object as never, { world, unread });
}

/** A cluster elsewhere has a profile that is not known here. */
async function profileOf({ name, kubeconfig }: ExplainOptions): Promise<ProfileName> {
  const cluster = kubeconfig === undefined ? await findCluster(name) : undefined;
  return cluster?.spec.profile ?? "default";
}

interface Found {
  readonly resource: Explained;
  readonly object: ApiObject;
}

/** @throws CommandError when there is no such object, or several workloads have the name. */
async function findTarget(client: Client, { kinds, name }: ExplainTarget, namespace: string): Promise<Found> {
  const refusals: string[] = [];
  const candidates = await Promise.all(
    kinds.map(async (resource): Promise<Found | undefined> => {
      const type = explainedTypes[resource];
      try {
        const object = await client.find(type, { namespace: type.namespaced ? namespace : "", name });
        return object === undefined ? undefined : { resource, object };
      } catch (error) {
        if (kinds.length === 1 || !isApiError(error, "Forbidden")) throw error;
        refusals.push(type.resource);
        return undefined;
      }
    }),
  );
  const found = candidates.filter((each) => each !== undefined);
  // A Deployment's ReplicaSet and a CronJob's Job have other names than their owners.
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const named = (each: Found) => `${explainedTypes[each.resource].singular}/${name}`;
  if (only !== undefined) {
    throw new CommandError(`several workloads have this name; explain one of them: ${found.map(named).join(", ")}`);
  }
  const wanted = kinds.length === 1 ? kinds.map((kind) => explainedTypes[kind].singular).join() : "workload";
  const place = kinds.every((kind) => !explainedTypes[kind].namespaced) ? "" : ` in the namespace ${namespace}`;
  const unread = refusals.length === 0 ? "" : `; you may not read ${refusals.join(", ")}`;
  throw new CommandError(`there is no ${wanted} "${name}"${place}${unread}`);
}
