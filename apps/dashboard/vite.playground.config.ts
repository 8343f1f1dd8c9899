import { defineConfig } from "vite";
import { banner, onLog } from "./vite.shared.ts";

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
      output: { banner },
      onLog,
    },
  },
});
