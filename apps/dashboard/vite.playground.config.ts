import { defineConfig } from "vite";
import { readdirSync } from "node:fs";
import { banner, onLog } from "./vite.shared.ts";

const articles = readdirSync(new URL("playground/articles", import.meta.url)).map(
  (name) => `playground/articles/${name}`,
);

/** The playground's page and those of the articles; apps/playground puts the program of its worker beside it. */
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
      input: ["playground/index.html", ...articles],
      output: { banner },
      onLog,
    },
  },
});
