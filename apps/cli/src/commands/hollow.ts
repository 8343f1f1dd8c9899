import { kubeconfigPath } from "@kintsugi/client";
import type { Command, CommandContext } from "../base/command.ts";
import { runInForeground } from "../base/run-in-foreground.ts";

export const hollow: Command = {
  declare(program, run) {
    program
      .command("hollow")
      .description(
        "Run many nodes without containers against any Kubernetes API, until Ctrl-C (--help lists the flags)",
      )
      .helpOption(false)
      .allowUnknownOption()
      .argument("[flags...]", "flags of the program, such as --nodes 100")
      .action(run((context, flags: string[]) => runHollow(context, flags)));
  },
};

/**
 * Hollow nodes are a separate program, which includes the kubelet. It uses the kubeconfig that
 * kubectl would use, unless another kubeconfig is given.
 * @throws AlreadyTold when it fails.
 */
async function runHollow({ config, signal }: CommandContext, flags: readonly string[]): Promise<void> {
  const hasKubeconfig = flags.some((flag) => flag === "--kubeconfig" || flag.startsWith("--kubeconfig="));
  const kubeconfig = hasKubeconfig ? [] : [`--kubeconfig=${kubeconfigPath(undefined, config.environment)}`];
  await runInForeground([...config.hollowCommand, ...kubeconfig, ...flags], { signal });
}
