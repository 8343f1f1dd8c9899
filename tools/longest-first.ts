import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The test files that take more than half a minute, the longest first. Vitest begins with the
 * largest files if it has no recorded durations, as in CI, and a long file that begins late delays
 * the end.
 */
const long = [
  "test/simulation/scenarios.test.ts",
  "test/simulation/sabotage/sabotage.test.ts",
  "test/simulation/enumerated-plans.test.ts",
  "test/end-to-end/nodes.test.ts",
  "test/end-to-end/stateful-sets.test.ts",
  "test/end-to-end/containerd.test.ts",
  "test/end-to-end/kubectl.test.ts",
  "test/end-to-end/dashboard-actions.test.ts",
  "test/end-to-end/dashboard.test.ts",
  "test/end-to-end/jobs.test.ts",
  "test/end-to-end/deployments.test.ts",
  "test/end-to-end/readme.test.ts",
  "test/end-to-end/services.test.ts",
  "test/end-to-end/command-lines.test.ts",
  "test/end-to-end/runtime-faults.test.ts",
  "test/end-to-end/explain.test.ts",
  "test/end-to-end/serving.test.ts",
  "test/end-to-end/endpoints.test.ts",
  "test/end-to-end/containers.test.ts",
].map((file) => join(import.meta.dirname, "..", file));

for (const file of long)
  if (!existsSync(file)) throw new Error(`${file} does not exist: remove it from ${import.meta.filename}`);

/** Runs the tests that are known to be slow before all other tests of a project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = long.indexOf(moduleId);
      return index < 0 ? long.length : index;
    };
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return sorted.toSorted((a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || rank(a) - rank(b));
  }
}
