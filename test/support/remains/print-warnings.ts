import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { Survived } from "../../../tools/survived.mjs";
import { startedClusters } from "../lab-cluster.ts";

// A set-up file of Vitest: warnings and errors of a cluster's processes are printed with the failed
// test, since their logs are removed with the cluster, and are in the report of the tests.

declare module "vitest" {
  interface TaskMeta {
    /** The warnings of the clusters of a test that failed, a line each. */
    warnings?: string[];
    /** Counts of what the product survived in a test; tools/summarize-tests.mjs adds them. */
    survived?: Partial<Survived>;
  }
}

/** The last lines of each log; a process that fails in a loop repeats the same lines. */
const linesMax = 20;
const lineLengthMax = 600;

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  const warnings = (await Promise.all(startedClusters().map(warningsOf))).flat();
  task.meta.warnings = warnings;
  for (const line of warnings) process.stderr.write(`${line}\n`);
});

async function warningsOf(cluster: string): Promise<string[]> {
  const directory = `/var/lib/kintsugi/${cluster}/logs`;
  const warnings: string[] = [];
  for (const file of await readdir(directory).catch(() => [])) {
    const lines = (await readFile(join(directory, file), "utf8").catch(() => "")).split("\n");
    const wrong = lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line) || /^\s+at |Error/.test(line));
    warnings.push(...wrong.slice(-linesMax).map((line) => `${cluster}/${file}: ${line.slice(0, lineLengthMax)}`));
  }
  return warnings;
}
