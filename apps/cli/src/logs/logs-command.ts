import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { KnownCluster } from "@kintsugi/lab";
import { clusterNamed } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, CommandError } from "../base/command.ts";
import { parseCount } from "../base/option-values.ts";
import { chooseLogs, type ProgramLog, logFilesIn } from "./log-files.ts";

interface LogsOptions {
  name: string;
  follow?: true;
  node?: string;
  tail?: number;
}

/** Number of lines of each log if there are several, which fit on a screen or two. */
const linesOfEach = 10;
const tailMax = 10_000_000;

export const logs: Command = {
  declare(program, run) {
    program
      .command("logs [program]")
      .description(
        "Print the logs of a cluster's programs: api-server, kubelet, kubelet@node-1, …; without a program, the last lines of all",
      )
      .addOption(new ClusterOption("reads"))
      .option("-f, --follow", "continue to print new lines until Ctrl-C")
      .option("--node <node>", "only programs of this node, or of this server of the control plane")
      .option(
        "--tail <lines>",
        `number of lines from the end of each log (default: all of one log, ${linesOfEach} of several)`,
        parseCount({ min: 0, max: tailMax }),
      )
      .action(
        run(async ({ signal }, name: string | undefined, options: LogsOptions) => {
          const cluster = await clusterNamed(options.name);
          const chosen = chooseLogs(await logsOf(cluster), { program: name, machine: options.node });
          if (typeof chosen === "string") throw new CommandError(chosen);
          const files = chosen.map(({ file }) => join(cluster.paths.logs, file));
          await printLogs(files, { follow: options.follow === true, lines: options.tail }, signal);
        }),
      );
  },
};

/** Lists the logs of a cluster. @throws CommandError without logs. */
export async function logsOf({ spec, paths }: KnownCluster): Promise<ProgramLog[]> {
  const machines = [...spec.nodes, ...(spec.servers ?? [])].map(({ name }) => name);
  const files = await readdir(paths.logs).catch((error: unknown) => {
    const isDenied = (error as NodeJS.ErrnoException).code === "EACCES";
    throw new CommandError(
      isDenied
        ? `only root can read the logs in ${paths.logs}: run the command with sudo`
        : `cluster "${spec.name}" has no logs in ${paths.logs} yet: \`kintsugi start --name ${spec.name}\` starts it`,
      { cause: error },
    );
  });
  return logFilesIn(files, machines);
}

async function printLogs(
  files: readonly string[],
  { follow, lines }: { follow: boolean; lines: number | undefined },
  signal: AbortSignal,
): Promise<void> {
  const from = lines ?? (files.length === 1 ? "+1" : linesOfEach);
  const args = [`--lines=${from}`, ...(follow ? ["--follow=name", "--retry"] : []), "--", ...files];
  const tail = spawn("tail", args, { stdio: ["ignore", "inherit", "inherit"] });
  const ended = new Promise<void>((resolve, reject) => {
    tail.once("close", () => resolve());
    tail.once("error", reject);
  });
  const stop = () => tail.kill();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await ended;
}
