import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tools/longest-first.ts";

/** Tests run the TypeScript sources, so nothing has to be built first. */
const conditions = ["@kintsugi/source"];
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({
  test: {
    // Vitest leaves one processor to itself, which on two is half of the machine.
    maxWorkers: availableParallelism(),
    // The limit holds for the tests of one file that start programs side by side.
    maxConcurrency: Math.max(2, availableParallelism()),
    reporters: ["default", ...(process.env["CI"] ? ["json"] : []), "./tools/not-run.ts"],
    outputFile: { json: "test-results.json" },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...source,
        test: { name: "tidy", testTimeout: 60_000, include: ["test/tidy/**/*.test.ts"] },
      },
      {
        ...source,
        test: {
          name: "unit",
          setupFiles: ["test/support/property-seed.ts"],
          // Half of the processor time was each file's own copy of the same modules. A file must
          // leave nothing behind in what files share: module state, timers, `process`.
          isolate: false,
          // Wall time, in which a machine may do other things: none of these tests takes a tenth of
          // it by itself.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          include: [
            "packages/*/src/**/*.test.ts",
            "apps/*/src/**/*.test.ts",
            "tools/**/*.test.ts",
            "test/{all,endure,node-versions}/*.test.ts",
          ],
        },
      },
      {
        ...source,
        test: {
          name: "integration",
          isolate: false,
          globalSetup: ["test/support/remains/outlive-run.ts"],
          setupFiles: ["test/support/property-seed.ts"],
          include: [
            "test/integration/**/*.test.ts",
            "test/conformance/**/*.test.ts",
            "test/simulation/**/*.test.ts",
            "test/chaos/checks/*.test.ts",
            "test/fuzz/*.test.ts",
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...source,
        test: {
          name: "end-to-end",
          globalSetup: ["test/support/remains/outlive-run.ts"],
          setupFiles: ["test/support/remains/print-warnings.ts"],
          include: ["test/{end-to-end,package}/**/*.test.ts"],
          // A fifth of the time was each file's own copy of the same modules, as with the others.
          isolate: false,
          // Real containers, which mostly wait: two files at a time on any machine, when all else
          // is done; three were no faster on two processors, and clusters so busy that a pod was
          // not Ready for a moment. Each has clusters, networks and directories of its own, named
          // after it and its process.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
