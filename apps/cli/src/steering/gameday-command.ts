import type { Command } from "../base/command.ts";
import { runInForeground } from "../base/run-in-foreground.ts";

export const gameday: Command = {
  declare(program, run) {
    program
      .command("gameday")
      .description("Hold a game day: teams mend hidden faults against the clock (--help lists the flags)")
      .helpOption(false)
      .allowUnknownOption()
      .argument("[file-and-flags...]", "file of the game day, and flags such as --report report.md")
      .action(
        run(({ config, signal }, words: string[]) => runInForeground([...config.gamedayCommand, ...words], { signal })),
      );
  },
};
