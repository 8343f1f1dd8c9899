import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import runtimes, { concerned } from "../runtimes/vitest.config.ts";

// `npm run test:runtimes` names its tests. It must still find a test that was moved.

test("each test that depends on a container runtime's version is found at its present place, once", () => {
  expect(runtimes.test?.include).toContain(`test/{end-to-end,slow/*}/{${concerned.join(",")}}.test.ts`);
  const tests = join(import.meta.dirname, "..");
  const slow = readdirSync(join(tests, "slow"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const folders = ["end-to-end", ...slow.map(({ name }) => `slow/${name}`)];
  for (const name of concerned) {
    const holding = folders.filter((folder) => existsSync(join(tests, folder, `${name}.test.ts`)));
    expect(holding, `folders with ${name}.test.ts`).toHaveLength(1);
  }
});
