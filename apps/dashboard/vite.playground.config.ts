import { defineConfig } from "vite";

/** The playground's page; apps/playground puts the program of its worker beside it. */
export default defineConfig({
  root: "playground",
  base: "./",
  resolve: { conditions: ["@kintsugi/source"] },
  build: {
    outDir: "bundle",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { banner: "globalThis.__zod_globalConfig ??= { jitless: true };" },
      onLog: (level, log, report) => {
        // packages/clock has the machine's randomness too, which the page leaves out.
        if (!log.message.includes('"node:crypto" has been externalized')) report(level, log);
      },
    },
  },
});
