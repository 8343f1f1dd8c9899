import { textTable } from "@kintsugi/api";
import {
  createControlClient,
  findServer,
  type KnownCluster,
  type ServerAction,
  type ServerCut,
  serverCuts,
} from "@kintsugi/lab";
import { Option } from "commander";
import { clusterNamed, supervisorAway } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { outputOption } from "../base/option-values.ts";
import { reportOnServers, serverRows } from "./server-report.ts";

const actions = {
  kill: { does: "Kill every process of a server and cut its cable", said: "is off" },
  return: { does: "Switch a killed server on again, and undo all other faults", said: "is back on" },
  partition: { does: "Cut a server's cable, or its connection to a part of the control plane", said: "is cut off" },
  restart: {
    does: "Stop a server's API server, scheduler and controller-manager in order, start their installed versions, and wait until the server is ready",
    said: "runs anew",
  },
  heal: { does: "Mend a server's cable and all its connections", said: "is connected" },
} as const;

export const server: Command = {
  declare(program, run) {
    const group = program
      .command("server")
      .description("List the servers of a control plane that has several, and cause machine faults");
    group
      .command("list")
      .description("List the servers, their faults, and the leading programs of each server")
      .addOption(new ClusterOption("reads"))
      .addOption(outputOption())
      .action(
        run(async (context, options: { name: string; output: string }) => {
          const cluster = await clusterWithServers(options.name);
          const status = await createControlClient(cluster.paths.supervisorSocket).status();
          const servers = await reportOnServers(context, cluster, status?.servers ?? {});
          if (options.output === "json") context.terminal.out(JSON.stringify(servers, null, 2));
          else for (const line of textTable(...serverRows(servers))) context.terminal.out(line);
        }),
      );
    for (const [action, { does, said }] of Object.entries(actions) as [
      keyof typeof actions,
      (typeof actions)[keyof typeof actions],
    ][]) {
      const command = group.command(`${action} <server>`).description(does).addOption(new ClusterOption("changes"));
      if (action === "partition") {
        command.addOption(
          new Option(
            "--from <part>",
            "part of the control plane that the server's clients no longer reach: any member of etcd, any NATS server, or all other servers",
          ).choices(serverCuts),
        );
      }
      command.action(
        run(async (context, target: string, options: { name: string; from?: ServerCut }) => {
          const wanted: ServerAction = action === "partition" && options.from ? `partition-${options.from}` : action;
          const from = options.from === undefined ? "" : ` from ${options.from}`;
          await context.terminal.step(
            { doing: `${target}: ${action}${from}`, done: `${target} ${said}${from}` },
            async () => {
              await act({ ...options, target }, wanted);
              if (wanted === "restart") await untilReady(context, { ...options, target });
            },
          );
        }),
      );
    }
  },
};

async function act({ name, target }: { name: string; target: string }, action: ServerAction): Promise<void> {
  const cluster = await clusterWithServers(name);
  findServer(cluster.spec, target);
  const status = await createControlClient(cluster.paths.supervisorSocket).actOnServer(target, action);
  if (status === undefined) throw supervisorAway(name);
}

/** Longest start of an API server that shares two processors with other servers. */
const readyMaxMs = 60_000;
const pollMs = 250;

/**
 * The next server of a rolling restart must wait for this server, because two missing servers leave
 * no majority.
 */
async function untilReady(context: CommandContext, { name, target }: { name: string; target: string }): Promise<void> {
  const cluster = await clusterWithServers(name);
  const deadlineMs = context.clock.monotonicMs() + readyMaxMs;
  for (;;) {
    const found = (await reportOnServers(context, cluster, {})).find((server) => server.name === target);
    if (found?.api === "ready") return;
    if (context.clock.monotonicMs() > deadlineMs)
      throw new CommandError(
        `${target} is not ready after ${readyMaxMs / 1000} s: do not restart the other servers, and read its log, ${cluster.paths.logs}/api-server-${target}.log`,
      );
    await context.clock.sleep(pollMs);
  }
}

async function clusterWithServers(name: string): Promise<KnownCluster> {
  const cluster = await clusterNamed(name);
  if (cluster.spec.servers !== undefined) return cluster;
  throw new CommandError(
    `cluster "${name}" has one control plane on this host: \`kintsugi up --name NAME --servers 3\` makes a cluster with three`,
  );
}
