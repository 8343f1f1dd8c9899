import { defineConfig } from "vitest/config";

const conditions = ["@kintsugi/source"];

/** `npm run test:compose`: a separate job, because it builds images and needs Docker. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: "compose",
    include: ["test/compose/*.test.ts"],
    reporters: ["verbose"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
