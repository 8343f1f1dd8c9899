import { stopCluster } from "@kintsugi/lab";
import { clusterNamed } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, CommandError } from "../base/command.ts";
import { durationOption } from "../base/option-values.ts";
import { startKnown } from "./up-command.ts";

export const stop: Command = {
  declare(program, run) {
    program
      .command("stop")
      .description("Stop everything of a cluster and keep its data; `start` brings it up again")
      .addOption(new ClusterOption("changes"))
      .addOption(
        durationOption("--grace <duration>", "time that containers have to end by themselves; 0 cuts the power", "10s"),
      )
      .action(
        run(async ({ clock, config, terminal }, options: { name: string; grace: number }) => {
          const cluster = await clusterNamed(options.name);
          if (config.host.uid !== 0) throw new CommandError("only root can stop a cluster: run the command with sudo");
          const ran = await terminal.step(`Stopping cluster "${options.name}"`, () =>
            stopCluster(clock, cluster, { graceMs: options.grace }),
          );
          terminal.say(
            ran
              ? `Its data is in ${cluster.paths.data}; \`kintsugi start --name ${options.name}\` brings it up again.`
              : `Cluster "${options.name}" was not running.`,
          );
        }),
      );
  },
};

export const start: Command = {
  declare(program, run) {
    program
      .command("start")
      .description("Start a cluster that was stopped, or that a reboot of the host has ended")
      .addOption(new ClusterOption("changes"))
      .addOption(
        durationOption("--wait <duration>", "time to wait until pods can run on all nodes; 0 does not wait", "1m"),
      )
      .action(
        run(async (context, options: { name: string; wait: number }) => {
          if (context.config.host.uid !== 0)
            throw new CommandError("only root can start a cluster: run the command with sudo");
          await startKnown(context, await clusterNamed(options.name), options.wait);
        }),
      );
  },
};
