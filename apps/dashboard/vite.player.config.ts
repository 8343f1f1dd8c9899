import { defineConfig } from "vite";
import { banner, onLog } from "./vite.shared.ts";

/** The player of recordings: one script and one style, which are embedded into pages. */
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
        banner,
        codeSplitting: false,
        entryFileNames: "player.js",
        assetFileNames: "player.[ext]",
      },
      onLog,
    },
  },
});
