import { defineConfig } from "vite";

export default defineConfig({
  base: "/dashboard/",
  resolve: { conditions: ["@kintsugi/source"] },
  build: {
    outDir: "bundle",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Files that are written into others as data: URLs would need another content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // The page may not evaluate text as code, so zod is to read its schemas instead.
      output: { banner: "globalThis.__zod_globalConfig ??= { jitless: true };" },
      onLog: (level, log, report) => {
        // packages/clock has the machine's randomness too, which the page leaves out.
        if (!log.message.includes('"node:crypto" has been externalized')) report(level, log);
      },
    },
  },
});
