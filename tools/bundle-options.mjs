/**
 * The options that make a program one file for Node, the same for production and for programs that
 * measure or break it.
 */
export const bundleOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  conditions: ["@kintsugi/source"],
  // Native modules stay outside the bundle.
  external: ["classic-level", "pino-pretty"],
  // CommonJS dependencies inside an ES module bundle still call require and read __dirname.
  banner: {
    js: [
      'import { createRequire as __createRequire } from "node:module";',
      'import { fileURLToPath as __fileURLToPath } from "node:url";',
      'import { dirname as __pathDirname } from "node:path";',
      "const require = __createRequire(import.meta.url);",
      "const __filename = __fileURLToPath(import.meta.url);",
      "const __dirname = __pathDirname(__filename);",
    ].join("\n"),
  },
};
