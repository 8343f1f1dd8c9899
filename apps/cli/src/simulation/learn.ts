import { kubeconfigPath } from "@kintsugi/client";
import type { Command } from "../base/command.ts";
import { runInForeground } from "../base/run-in-foreground.ts";

export const learn: Command = {
  declare(program, run) {
    program
      .command("learn")
      .description(
        "Play a lesson in virtual time, or on real containers with --real: predict the outcome and watch it; without a lesson, list the lessons (--help lists the flags)",
      )
      .helpOption(false)
      .allowUnknownOption()
      .argument("[words...]", "number or name of a lesson, and flags such as --answer 340 or --real")
      .action(
        run(({ config, signal }, words: string[]) => {
          const isReal = words.some((word) => /^--real(=|$)/.test(word));
          const isGiven = words.some((word) => /^--kubeconfig(=|$)/.test(word));
          const kubeconfig =
            isReal && !isGiven ? [`--kubeconfig=${kubeconfigPath(undefined, config.environment)}`] : [];
          return runInForeground([...config.simulatorCommand, "learn", ...kubeconfig, ...words], { signal });
        }),
      );
  },
};
