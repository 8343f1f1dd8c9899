import { defineConfig } from "vite";

/** The player of recordings: one script and one style, which are written into pages. */
export default defineConfig({
  resolve: { conditions: ["@kintsugi/source"] },
  build: {
    outDir: "player/bundle",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      input: "src/player-main.tsx",
      output: {
        banner: "globalThis.__zod_globalConfig ??= { jitless: true };",
        codeSplitting: false,
        entryFileNames: "player.js",
        assetFileNames: "player.[ext]",
      },
      onLog: (level, log, report) => {
        // packages/clock has the machine's randomness too, which the page leaves out.
        if (!log.message.includes('"node:crypto" has been externalized')) report(level, log);
      },
    },
  },
});
