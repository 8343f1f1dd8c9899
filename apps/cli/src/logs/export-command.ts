import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { clusterNamed } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, CommandError } from "../base/command.ts";
import { exportLogs } from "./export-logs.ts";

/** The commands `kintsugi export …`; "export" itself is a JavaScript keyword. */
export const exporting: Command = {
  declare(program, run) {
    program
      .command("export")
      .description("Write parts of a cluster into files")
      .command("logs <directory>")
      .description(
        "Write logs, objects, versions and timeline of a cluster into a new folder, without the values of Secrets",
      )
      .addOption(new ClusterOption("reads"))
      .action(
        run(async (context, directory: string, options: { name: string }) => {
          const cluster = await clusterNamed(options.name);
          const target = resolve(directory);
          if (existsSync(target) && (await readdir(target)).length > 0)
            throw new CommandError(`${target} is not empty: name a folder that does not exist yet`);
          await mkdir(target, { recursive: true, mode: 0o700 });
          const missing = await context.terminal.step(`Exporting cluster "${options.name}"`, () =>
            exportLogs(context, cluster, target),
          );
          for (const part of missing) context.terminal.say(`Not exported: ${part}`);
          context.terminal.out(target);
        }),
      );
  },
};
