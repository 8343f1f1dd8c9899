import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { forgetCluster, kintsugi } from "../support/lab-cluster.ts";

const cannot = sayWhyNot("the demo on real containers", whyNoClusters());

test.skipIf(cannot)("the demo shows every phase of the recovery, and removes its cluster completely", async () => {
  const name = `demo-${process.pid}`;
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-demo-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const kubeconfig = join(directory, "kubeconfig");
  const result = await kintsugi(["demo", "--json", "--name", name, "--kubeconfig", kubeconfig]);
  expect(result.stderr).not.toMatch(/ERROR/);
  expect(result.code).toBe(0);
  const report = JSON.parse(result.stdout) as {
    observed: boolean;
    phases: { name: string; wallMs: number; overheadMs: number }[];
  };
  expect(report.observed).toBe(true);
  expect(report.phases.map((phase) => phase.name)).toContain("last heartbeat → all ready (whole recovery)");
  expect(existsSync(`/run/kintsugi/${name}`)).toBe(false);
  await forgetCluster(name);
  expect(readFileSync(kubeconfig, "utf8")).not.toContain(name);
});
