import { defineConfig } from "vite";

export default defineConfig({
  base: "/dashboard/",
  resolve: { conditions: ["@kintsugi/source"] },
  build: { outDir: "bundle", emptyOutDir: true, target: "es2022", modulePreload: { polyfill: false }, reportCompressedSize: true },
});
