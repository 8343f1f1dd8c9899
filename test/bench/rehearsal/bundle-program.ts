import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "../../../tools/bundle-options.mjs";

/**
 * Bundles a program into one file, and removes it when `use` is done, so that loading TypeScript is
 * not measured. The file is placed where it finds its one external module.
 */
export async function withBundle<T>(entryPoint: string, use: (program: string) => Promise<T>): Promise<T> {
  const cache = join(import.meta.dirname, "../../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, "bench-"));
  try {
    const outfile = join(directory, "program.mjs");
    await build({ entryPoints: [entryPoint], outfile, ...bundleOptions, logLevel: "error" });
    return await use(outfile);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
