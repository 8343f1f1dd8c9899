import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("a single bundled file speaks CRI without .proto files or node_modules", { timeout: 30_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-bundle-"));
  const outfile = join(directory, "main.mjs");
  const source = `
    import { runtimeService } from "./definitions.ts";
    const { responseSerialize, responseDeserialize } = runtimeService.ContainerStatus;
    const status = { id: "c", state: "CONTAINER_EXITED", createdAt: "1795222311552000123", exitCode: -1 };
    console.log(JSON.stringify(responseDeserialize(responseSerialize({ status })).status));
  `;
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@kintsugi/source"],
    banner: {
      js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);',
    },
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: directory, env: {} });
  expect(JSON.parse(stdout)).toMatchObject({
    id: "c",
    state: "CONTAINER_EXITED",
    // More digits than a number can represent: 64-bit integers must not have been converted to
    // numbers.
    createdAt: "1795222311552000123",
    exitCode: -1,
    metadata: null,
    labels: {},
  });
  await rm(directory, { recursive: true });
});
