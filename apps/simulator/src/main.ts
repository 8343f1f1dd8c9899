import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { endWithReader } from "@kintsugi/daemon";
import { scenarioCommand } from "./scenarios/scenario-command.ts";
import { workerCommand, workOnSeeds } from "./seeds/seed-workers.ts";
import { simulateSeeds } from "./seeds/seeds-command.ts";

/** Beside the sources and beside the bundle alike. */
const shippedDirectory = fileURLToPath(new URL("../scenarios", import.meta.url));

endWithReader(process.stdout);
// Not awaited at the top level: a program that is no module starts with the code that V8 has made of it (tools/bundle.mjs).
main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${inspect(error)}\n`);
  process.exitCode = 1;
});

async function main([command, ...args]: string[]): Promise<void> {
  const scenarioAt = args.indexOf("--scenario");
  if (command === workerCommand) workOnSeeds();
  else if (command === "seeds" && scenarioAt >= 0)
    process.exitCode = await scenarioCommand(args.toSpliced(scenarioAt, 1), { shippedDirectory });
  else if (command === "seeds") await simulateSeeds(args);
  else if (command === "scenario") process.exitCode = await scenarioCommand(args, { shippedDirectory });
  else tellUsage();
}

function tellUsage(): void {
  process.stderr.write(
    "usage: simulator seeds [--seed N] [--seeds N] [--hours H] [--nodes N] [--profile P] [--faults a,b] [--workers N] [--failures DIR] [--shrink RUNS] [--verbose]\n" +
      "       simulator scenario FILE|NAME [--compare OTHER] [--seed N] [--json] [--html FILE] [--full] [--list]\n",
  );
  process.exitCode = 2;
}
