// npm run test:node -- 24 [FILE…] [OPTIONS OF VITEST]: the unit and integration tests with another
// Node.js. All end-to-end tests (--project end-to-end without a file) also need its own bundles.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fetchNode, majorVersion, withNodeVersion } from "./fetch-node.ts";

const repository = join(import.meta.dirname, "../..");
const [version, ...given] = process.argv.slice(2);
if (version === undefined || version.startsWith("-")) {
  process.stderr.write("usage: npm run test:node -- VERSION [FILE…] [OPTIONS OF VITEST], such as 24\n");
  process.exit(2);
}
try {
  const program = await fetchNode(majorVersion(version));
  const env = withNodeVersion(program);
  spawnSync(program, ["--version"], { stdio: "inherit" });
  const projects = given.some((word) => word.startsWith("--project"))
    ? []
    : ["--project", "unit", "--project", "integration"];
  const isWhole = given.every((word, index) => word.startsWith("--project") || given[index - 1] === "--project");
  if (isWhole && given.includes("end-to-end")) {
    // Bundles contain compiled code for the V8 of the Node.js that builds them.
    const { status: built } = spawnSync("npm", ["run", "--silent", "bundle"], {
      stdio: "inherit",
      cwd: repository,
      env,
    });
    if (built !== 0) throw new Error("the programs were not bundled");
  }
  const words = [join(repository, "node_modules/vitest/vitest.mjs"), "run", ...projects, ...given];
  const { status } = spawnSync(program, words, { stdio: "inherit", cwd: repository, env });
  process.exitCode = status ?? 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
