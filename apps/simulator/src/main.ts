import { parseArgs } from "node:util";
import { simulateSeeds } from "./seeds/seeds-command.ts";

const { positionals } = parseArgs({ strict: false, allowPositionals: true });
if (positionals[0] === "seeds") await simulateSeeds(process.argv.slice(3));
else {
  process.stderr.write(
    "usage: simulator seeds [--seed N] [--seeds N] [--hours H] [--nodes N] [--profile P] [--faults a,b] [--verbose]\n",
  );
  process.exitCode = 2;
}
