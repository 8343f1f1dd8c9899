import { defineConfig } from "vite";
import { banner, onLog } from "./vite.shared.ts";

const articles = ["kubelet", "minion", "restartable-pods", "node-offline"].map(
  (name) => `playground/articles/${name}.html`,
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
