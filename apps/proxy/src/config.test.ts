import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everythingSaid } from "@kintsugi/daemon/testing";
import { expect, onTestFinished, test } from "vitest";
import { readConfig, sample } from "./config.ts";

test("the documented file of deploy/ is this table's, and holds with and without its comments", async () => {
  const file = join(import.meta.dirname, "../../../deploy/config/proxy.yaml");
  await expect(sample()).toMatchFileSnapshot(file);
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const all = join(directory, "all.yaml");
  writeFileSync(all, everythingSaid(sample()));
  for (const read of [file, all])
    expect(readConfig(["--config", read]).kubeconfig).toBe("/etc/kintsugi/proxy.kubeconfig");
});

const base = ["--kubeconfig", "/k"];

test("rules follow within a second as upstream's, and sooner where the timers are ours", () => {
  expect(readConfig([...base, "--profile", "kubernetes"]).minSyncPeriodMs).toBe(1_000);
  expect(readConfig([...base, "--profile", "fast"]).minSyncPeriodMs).toBe(100);
  expect(readConfig([...base, "--nftables-min-sync-period", "2s"]).minSyncPeriodMs).toBe(2_000);
});

test("addresses to serve on have a port, and one that has none is refused with an example", () => {
  expect(readConfig([...base, "--metrics-bind-address", "[::1]:1"]).metrics).toEqual({ address: "::1", port: 1 });
  expect(() => readConfig([...base, "--healthz-bind-address", "0.0.0.0"])).toThrow(
    '--healthz-bind-address must be an address and a port, as in 127.0.0.1:10256, not "0.0.0.0".',
  );
});
