import { fileURLToPath } from "node:url";
import { endWithReader } from "@kintsugi/daemon";
import { scenarioCommand } from "./scenarios/scenario-command.ts";
import { workerCommand, workOnSeeds } from "./seeds/seed-workers.ts";
import { simulateSeeds } from "./seeds/seeds-command.ts";

/** Beside the sources and beside the bundle alike. */
const shippedDirectory = fileURLToPath(new URL("../scenarios", import.meta.url));

endWithReader(process.stdout);
const [command, ...args] = process.argv.slice(2);
const scenarioAt = args.indexOf("--scenario");
if (command === workerCommand) workOnSeeds();
else if (command === "seeds" && scenarioAt >= 0)
  process.exitCode = await scenarioCommand(args.toSpliced(scenarioAt, 1), { shippedDirectory });
else if (command === "seeds") await simulateSeeds(args);
else if (command === "scenario") process.exitCode = await scenarioCommand(args, { shippedDirectory });
else {
  process.stderr.write(
    "usage: simulator seeds [--seed N] [--seeds N] [--hours H] [--nodes N] [--profile P] [--faults a,b] [--workers N] [--failures DIR] [--shrink RUNS] [--verbose]\n" +
      "       simulator scenario FILE|NAME [--compare OTHER] [--seed N] [--json] [--html FILE] [--full] [--list]\n",
  );
  process.exitCode = 2;
}
