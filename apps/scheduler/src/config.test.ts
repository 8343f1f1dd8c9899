import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everythingSaid } from "@kintsugi/daemon/testing";
import { expect, onTestFinished, test } from "vitest";
import { readConfig, sample } from "./config.ts";

test("the documented file of deploy/ is this table's, and holds with and without its comments", async () => {
  const file = join(import.meta.dirname, "../../../deploy/config/scheduler.yaml");
  await expect(sample()).toMatchFileSnapshot(file);
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const all = join(directory, "all.yaml");
  writeFileSync(all, everythingSaid(sample()));
  for (const read of [file, all])
    expect(readConfig(["--config", read]).kubeconfig).toBe("/etc/kintsugi/scheduler.kubeconfig");
});
