import { defineConfig } from "vitest/config";

const conditions = ["@kintsugi/source"];

/**
 * `npm run test:slow`: tests that take minutes of real time, or a separate kernel; a job separate
 * from `npm test`.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: "slow",
    env: { KINTSUGI_SAMPLES: "all" },
    include: ["test/slow/**/*.test.ts", "test/chaos/*.test.ts"],
    globalSetup: ["test/support/remains/outlive-run.ts"],
    reporters: ["verbose"],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 180_000,
  },
});
