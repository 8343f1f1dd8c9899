import { spawn } from "node:child_process";
import { once } from "node:events";
import { kubeconfigPath } from "@kintsugi/client";
import { AlreadyTold, type Command, type CommandContext } from "../base/command.ts";

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
 * Hollow nodes are a program of their own, with the kubelet inside. It gets the kubeconfig that
 * kubectl would use, unless another is given.
 * @throws AlreadyTold when it fails.
 */
async function runHollow({ config, signal }: CommandContext, flags: readonly string[]): Promise<void> {
  const hasKubeconfig = flags.some((flag) => flag === "--kubeconfig" || flag.startsWith("--kubeconfig="));
  const kubeconfig = hasKubeconfig ? [] : [`--kubeconfig=${kubeconfigPath(undefined, config.environment)}`];
  const [program = "", ...words] = config.hollowCommand;
  const child = spawn(program, [...words, ...kubeconfig, ...flags], { stdio: "inherit" });
  // It gets Ctrl-C from the terminal as well, and ends its nodes in order.
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  const [code] = (await once(child, "exit")) as [number | null];
  signal.removeEventListener("abort", stop);
  if (code !== 0 && !signal.aborted) throw new AlreadyTold(code ?? 1);
}
