import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach } from "vitest";
import { startedClusters } from "../lab-cluster.ts";

// A set-up file of Vitest: what the processes of a cluster reported as wrong is printed with the
// test that failed, since their logs go with the cluster.

/** The last lines of each log; a process that fails in a loop has more of the same. */
const linesMax = 20;
const lineLengthMax = 600;

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const name of startedClusters()) await printWarnings(name);
});

async function printWarnings(cluster: string): Promise<void> {
  const directory = `/var/lib/kintsugi/${cluster}/logs`;
  const files = await readdir(directory).catch(() => []);
  for (const file of files) {
    const lines = (await readFile(join(directory, file), "utf8").catch(() => "")).split("\n");
    const warnings = lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line) || /^\s+at |Error/.test(line));
    for (const line of warnings.slice(-linesMax)) {
      process.stderr.write(`${cluster}/${file}: ${line.slice(0, lineLengthMax)}\n`);
    }
  }
}
