import { spawn } from "node:child_process";
import { once } from "node:events";
import { AlreadyTold, type Command, type CommandContext } from "../base/command.ts";

export const testServer: Command = {
  declare(program, run) {
    program
      .command("test-server")
      .description("Run a whole cluster in one process, without root or containers, for tests (--help lists the flags)")
      .helpOption(false)
      .allowUnknownOption()
      .argument("[flags...]", "flags of the program, such as --nodes 3 or --json")
      .action(run((context, flags: string[]) => runTestServer(context, flags)));
  },
};

/**
 * bin/kintsugi starts the built program in its own process; this one is for a command line that
 * runs from its sources.
 * @throws AlreadyTold when it fails.
 */
async function runTestServer({ config, signal }: CommandContext, flags: readonly string[]): Promise<void> {
  const [program = "", ...words] = config.testServerCommand;
  const child = spawn(program, [...words, ...flags], { stdio: "inherit" });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  const [code] = (await once(child, "exit")) as [number | null];
  signal.removeEventListener("abort", stop);
  if (code !== 0 && !signal.aborted) throw new AlreadyTold(code ?? 1);
}
