import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { endWithReader } from "@kintsugi/daemon";
import { learnCommand } from "./lessons/learn-command.ts";
import { runWorkerCommand, workOnRuns } from "./rehearsal/runs/run-workers.ts";
import { rehearseCommand } from "./rehearsal/rehearse-command.ts";
import { scenarioCommand } from "./scenarios/scenario-command.ts";
import { workerCommand, workOnSeeds } from "./seeds/seed-workers.ts";
import { simulateSeeds } from "./seeds/seeds-command.ts";

/** The directory has the same position relative to the sources and to the bundle. */
const shippedDirectory = fileURLToPath(new URL("../scenarios", import.meta.url));
const examplesDirectory = fileURLToPath(new URL("../../../demo/rehearsals", import.meta.url));
const playerDirectory = fileURLToPath(new URL("../../dashboard/player/bundle", import.meta.url));
/** This program runs from its sources with the options of the command line that started it. */
const kintsugiCommand = import.meta.url.endsWith(".ts")
  ? [process.execPath, ...process.execArgv, fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url))]
  : [process.execPath, fileURLToPath(new URL("../../../bin/kintsugi", import.meta.url))];
const scenarioOptions = { shippedDirectory, playerDirectory };

endWithReader(process.stdout);
// The promise is not awaited at the top level, because a program that is not a module starts with
// V8's cached code (tools/bundle.mjs).
main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${inspect(error)}\n`);
  process.exitCode = 1;
});

async function main([command, ...args]: string[]): Promise<void> {
  const scenarioAt = args.findIndex((word) => word === "--scenario" || word.startsWith("--scenario="));
  if (command === workerCommand) workOnSeeds();
  else if (command === runWorkerCommand) workOnRuns();
  else if (command === "rehearse") process.exitCode = await rehearseCommand(args, { playerDirectory });
  else if (command === "learn")
    process.exitCode = await learnCommand(args, { shippedDirectory, examplesDirectory, kintsugiCommand });
  else if (command === "seeds" && scenarioAt >= 0)
    process.exitCode = await scenarioCommand(withoutFlag(args, scenarioAt), scenarioOptions);
  else if (command === "seeds") await simulateSeeds(args);
  else if (command === "scenario") process.exitCode = await scenarioCommand(args, scenarioOptions);
  else tellUsage(command);
}

/**
 * `--scenario=node-dead` is `--scenario node-dead`, and without the flag all words have the same
 * meaning as for `kintsugi simulate`.
 */
function withoutFlag(args: readonly string[], at: number): string[] {
  const [, value] = (args[at] ?? "").split(/=(.*)/s);
  return value === undefined ? args.toSpliced(at, 1) : args.toSpliced(at, 1, value);
}

function tellUsage(command: string | undefined): void {
  const asked = command === "--help" || command === "-h";
  const usage =
    "usage: simulator seeds [options]\n       simulator scenario [options] [scenario]\n       simulator rehearse [options] [dump]\n       simulator learn [options] [lesson]\nEach command's --help lists its options.\n";
  if (asked) process.stdout.write(usage);
  else process.stderr.write(usage);
  process.exitCode = asked ? 0 : 2;
}
