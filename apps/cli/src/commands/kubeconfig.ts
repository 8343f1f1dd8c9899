import { adminKubeconfig, clusterNamed } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command } from "../base/command.ts";

export const kubeconfig: Command = {
  declare(program, run) {
    program
      .command("kubeconfig")
      .description("Print a kubeconfig for the cluster's administrator")
      .addOption(new ClusterOption("reads"))
      .action(
        run(async ({ terminal }, options: { name: string }) => {
          terminal.out((await adminKubeconfig(await clusterNamed(options.name))).trimEnd());
        }),
      );
  },
};
