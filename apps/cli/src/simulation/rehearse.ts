import { kubeconfigPath } from "@kintsugi/client";
import type { Command } from "../base/command.ts";
import { runInForeground } from "../base/run-in-foreground.ts";

export const rehearse: Command = {
  declare(program, run) {
    program
      .command("rehearse")
      .description(
        "Import a cluster (live, or --from FILE) and report which workloads are down, for how long and why, when a node or a zone fails, or during an upgrade; the command only reads (--help lists the flags)",
      )
      .helpOption(false)
      .allowUnknownOption()
      .argument("[flags...]", "flags of the program, such as --from cluster.json or --every zone")
      .action(
        // The simulator is a separate program, which includes every service. It uses the kubeconfig
        // that kubectl would use, unless another kubeconfig is given.
        run(({ config, signal }, flags: string[]) => {
          const isGiven = flags.some((flag) => flag === "--kubeconfig" || flag.startsWith("--kubeconfig="));
          const kubeconfig = isGiven ? [] : [`--kubeconfig=${kubeconfigPath(undefined, config.environment)}`];
          return runInForeground([...config.simulatorCommand, "rehearse", ...kubeconfig, ...flags], { signal });
        }),
      );
  },
};
