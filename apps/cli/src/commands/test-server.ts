import type { Command } from "../base/command.ts";
import { runInForeground } from "../base/run-in-foreground.ts";

export const testServer: Command = {
  declare(program, run) {
    program
      .command("test-server")
      .description("Run a whole cluster in one process, without root or containers, for tests (--help lists the flags)")
      .helpOption(false)
      .allowUnknownOption()
      .argument("[flags...]", "flags of the program, such as --nodes 3 or --json")
      .action(
        // bin/kintsugi starts the built program in its own process; this is for a command line that
        // runs from sources.
        run(({ config, signal }, flags: string[]) =>
          runInForeground([...config.testServerCommand, ...flags], { signal }),
        ),
      );
  },
};
