import { textTable } from "@kintsugi/api";
import {
  CloudError,
  type CloudFaults,
  type CloudProvider,
  createCloudClient,
  readCloudFaults,
  writeCloudFaults,
} from "@kintsugi/cloud";
import type { Command as Program } from "commander";
import { clusterNamed } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext, CommandError, type Runner } from "../base/command.ts";

const actions = {
  stop: { does: "Switch a machine off without its kubelet's knowledge", done: "has no power" },
  start: { does: "Switch a machine on again", done: "has power" },
  terminate: { does: "Remove a machine for good, with its data and without a drain", done: "is gone" },
} as const;

/** Time that a machine's removal may wait for its processes to exit. */
const callTimeoutMs = 60_000;

export const cloud: Command = {
  declare(program, run) {
    const group = program
      .command("cloud")
      .description("List and terminate the machines of a cluster's cloud, and inject faults into the cloud");
    declareLists(group, run);
    for (const [action, { does, done }] of Object.entries(actions) as [keyof typeof actions, Words][])
      group
        .command(`${action} <machine>`)
        .description(does)
        .addOption(new ClusterOption("changes"))
        .action(
          run(async (context, machine: string, options: { name: string }) => {
            const { client } = await cloudOf(options.name);
            await context.terminal.step({ doing: `${machine}: ${action}`, done: `${machine} ${done}` }, () =>
              asked(client.actOnInstance({ name: machine, action })),
            );
          }),
        );
    group
      .command("faults [json]")
      .description(
        'Print or set the faults injected into cloud calls: {"findInstance":{"hides":["node-1"]},"*":{"delayMs":2000}}; {} ends all injected faults',
      )
      .addOption(new ClusterOption("changes"))
      .action(
        run(async (context, json: string | undefined, options: { name: string }) => {
          const { socket } = await cloudOf(options.name);
          const faults =
            json === undefined
              ? await asked(readCloudFaults(socket))
              : await asked(writeCloudFaults(socket, parseJson(json)));
          context.terminal.out(JSON.stringify(faults));
        }),
      );
  },
};

interface Words {
  readonly does: string;
  readonly done: string;
}

function declareLists(group: Program, run: Runner): void {
  const list = (
    name: string,
    description: string,
    print: (context: CommandContext, client: CloudProvider) => Promise<void>,
  ) =>
    group
      .command(name)
      .description(description)
      .addOption(new ClusterOption("reads"))
      .action(run(async (context, options: { name: string }) => print(context, (await cloudOf(options.name)).client)));
  list("machines", "List the machines", async ({ terminal }, client) => {
    const { instances } = await asked(client.listInstances({}));
    const rows = instances.map((each) => [
      each.name,
      each.state,
      each.zone,
      each.instanceType,
      each.group ?? "-",
      each.addresses[0]?.address ?? "",
    ]);
    for (const line of textTable(["MACHINE", "STATE", "ZONE", "TYPE", "GROUP", "ADDRESS"], rows)) terminal.out(line);
  });
  list("groups", "List the node groups", async ({ terminal }, client) => {
    const { groups } = await asked(client.listNodeGroups({}));
    const rows = groups.map((each) => [
      each.name,
      `${each.min}`,
      `${each.max}`,
      `${each.target}`,
      `${each.priority}`,
      each.template.instanceType,
    ]);
    for (const line of textTable(["GROUP", "MIN", "MAX", "TARGET", "PRIORITY", "TYPE"], rows)) terminal.out(line);
  });
}

/** @throws CommandError if the cluster has no cloud. */
async function cloudOf(name: string): Promise<{ client: CloudProvider; socket: string }> {
  const { spec, paths } = await clusterNamed(name);
  if (spec.cloud === undefined)
    throw new CommandError(
      `cluster "${name}" has no cloud: \`kintsugi up --name NAME --cloud\` makes a cluster with a cloud`,
    );
  return { client: createCloudClient({ socket: paths.cloudSocket, callTimeoutMs }), socket: paths.cloudSocket };
}

/** @throws CommandError with the cloud's message. */
async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CloudError) throw new CommandError(`${error.code}: ${error.message}`);
    throw error;
  }
}

/** @throws CommandError */
function parseJson(text: string): CloudFaults {
  try {
    return JSON.parse(text) as CloudFaults;
  } catch (error) {
    throw new CommandError(`the injected faults are not JSON: ${(error as Error).message}`);
  }
}
