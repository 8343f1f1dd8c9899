import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const [few, many] = [20, 200];
const script = fileURLToPath(new URL("testing/print-growth.ts", import.meta.url));

test(`no change costs more among ${many} nodes than among ${few}`, async () => {
  const args = ["--import", "tsx", "--conditions", "@kintsugi/source", script, String(few), String(many)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 280_000 });
  expect(JSON.parse(stdout)).toEqual({ grew: [], silent: [] });
}, 300_000);
