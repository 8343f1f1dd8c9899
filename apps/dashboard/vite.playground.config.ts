import { defineConfig } from "vite";
import { readdirSync } from "node:fs";
import { banner, onLog } from "./vite.shared.ts";

const articles = readdirSync(new URL("playground/articles", import.meta.url)).map(
  (name) => `playground/articles/${name}`,
);

/** The pages of the playground and of the articles; apps/playground adds the worker. */
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
