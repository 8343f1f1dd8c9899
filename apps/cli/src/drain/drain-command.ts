import { nodes, parseLabelSelector } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { InvalidArgumentError, Option } from "commander";
import { type AccessOptions, wayTo, withClient } from "../base/cluster-access.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext } from "../base/command.ts";
import { durationOption, parseCount, parseOne } from "../base/option-values.ts";
import { isMarkedByDrain } from "./drain-conditions.ts";
import { cordon, drainNode, reportStep } from "./drain-node.ts";

interface DrainCommandOptions extends AccessOptions {
  ignoreDaemonsets: string;
  deleteEmptydirData?: true;
  force?: true;
  gracePeriod: number;
  timeout: number;
  podSelector?: string;
  dryRun: "none" | "client" | "server";
  reportNodeConditions: string;
}

const booleans = ["true", "false"];
/** A pod's grace period is at most this in upstream's API. */
const graceSecondsMax = 2_147_483_647;

export const drain: Command = {
  declare(program, run) {
    program
      .command("drain <node>")
      .description("Cordon a node, evict its pods within their budgets, and report the drain in the node's conditions")
      .addOption(new ClusterOption("changes"))
      .option(...kubeconfigOption)
      .addOption(switchOption("--ignore-daemonsets", "leave the pods of DaemonSets on the node", "true"))
      .option("--delete-emptydir-data", "evict pods with emptyDir volumes, whose data is lost")
      .option("--force", "evict pods without a controller, which are not replaced")
      .option(
        "--grace-period <seconds>",
        "time that each pod has to end; -1 means the pod's own grace period",
        gracePeriod,
        -1,
      )
      .addOption(durationOption("--timeout <duration>", "timeout of the drain; 0 means no timeout", "0s"))
      .option("--pod-selector <labels>", "evict only pods with these labels", parseOne(labelSelector))
      .addOption(
        new Option("--dry-run [mode]", "show the changes without making them")
          .choices(["none", "client", "server"])
          .preset("client")
          .default("none"),
      )
      .addOption(switchOption("--report-node-conditions", "set DrainInProgress and Drained (KEP-5683)", "true"))
      .action(
        run((context, node: string, options: DrainCommandOptions) =>
          withClient(context, options, async (client) => {
            const { gracePeriod: grace, timeout, podSelector, dryRun } = options;
            const work = () =>
              drainNode(depsOf(context, { client, options }), node, {
                ignoreDaemonSets: options.ignoreDaemonsets === "true",
                deleteEmptyDirData: options.deleteEmptydirData === true,
                force: options.force === true,
                gracePeriodSeconds: grace < 0 ? undefined : grace,
                timeoutMs: timeout === 0 ? undefined : timeout,
                podSelector,
                dryRun,
                reportConditions: options.reportNodeConditions === "true",
              });
            await work();
            context.terminal.say(dryRun === "none" ? `node/${node} drained` : `node/${node} drained (dry run)`);
          }),
        ),
      );
  },
};

export const uncordon: Command = {
  declare(program, run) {
    program
      .command("uncordon <node>")
      .description("Make a node schedulable again and clear its drain conditions")
      .addOption(new ClusterOption("changes"))
      .option(...kubeconfigOption)
      .action(
        run((context, name: string, options: AccessOptions) =>
          withClient(context, options, async (client) => {
            const deps = depsOf(context, { client, options });
            const node = await client.get(nodes, { namespace: "", name }, { signal: context.signal });
            const changed = await cordon(deps, node, false);
            const report = { name, step: "uncordoned" as const, message: "The node is schedulable again." };
            if (isMarkedByDrain(node)) await reportStep(deps, { ...report, options: { reportConditions: true } });
            context.terminal.say(changed ? `node/${name} uncordoned` : `node/${name} already uncordoned`);
          }),
        ),
      );
  },
};

function depsOf(
  { clock, terminal, signal }: CommandContext,
  { client, options }: { client: Client; options: AccessOptions },
) {
  return { client, clock, say: (line: string) => terminal.say(line), signal, way: wayTo(options) };
}

/** kubectl's form of a switch: the name alone means true, and "=false" switches it off. */
function switchOption(name: string, description: string, byDefault: string): Option {
  return new Option(`${name} [boolean]`, description).choices(booleans).preset("true").default(byDefault);
}

function gracePeriod(text: string): number {
  return text === "-1" ? -1 : parseCount({ min: 0, max: graceSecondsMax })(text);
}

function labelSelector(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("a selector must name a label");
  parseLabelSelector(text);
  return text;
}
