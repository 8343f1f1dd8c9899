import { withoutLanguages, withoutSchemaCompilers } from "./bundle-plugins.mjs";

/**
 * The options that bundle a program into one file for Node, the same for production and for
 * programs that measure or break it.
 */
export const bundleOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  conditions: ["@kintsugi/source"],
  // Native modules are not bundled.
  external: ["classic-level", "pino-pretty"],
  plugins: [withoutLanguages, withoutSchemaCompilers],
  // CommonJS dependencies inside an ES module bundle still call require and read __dirname.
  banner: {
    js: [
      'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);',
      'const __filename = process.getBuiltinModule("node:url").fileURLToPath(import.meta.url);',
      'const __dirname = process.getBuiltinModule("node:path").dirname(__filename);',
    ].join("\n"),
  },
};
