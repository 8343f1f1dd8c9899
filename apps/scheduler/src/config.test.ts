import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everythingSaid } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { readConfig, sample } from "./config.ts";

test("the documented file of deploy/ is this table's, and holds with and without its comments", async () => {
  const file = join(import.meta.dirname, "../../../deploy/config/scheduler.yaml");
  await expect(sample()).toMatchFileSnapshot(file);
  const all = join(mkdtempSync(join(tmpdir(), "kintsugi-config-")), "all.yaml");
  writeFileSync(all, everythingSaid(sample()));
  for (const read of [file, all])
    expect(readConfig(["--config", read]).kubeconfig).toBe("/etc/kintsugi/scheduler.kubeconfig");
});
