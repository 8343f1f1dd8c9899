import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isBuilt, sayWhyNot, whyNoClusters, whyNoPackage } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { faultList } from "./faults/fault-list.ts";
import { runChaos } from "./run-chaos.ts";

const lacking =
  whyNoClusters() ?? (isBuilt(repository) ? undefined : "nothing is built: `npm run bundle`") ?? whyNoPackage("strace");

/** One fault of each family; `npm run chaos` has them all. */
const faults = [
  "the api-server dies before it syncs its log",
  "nats-server is killed",
  "a kubelet is killed",
  "answers of the api-server break off",
  "the api-server's clock jumps",
  "writing to the log fails",
  "containerd stands still",
  "a container's process is killed",
].map((name) => {
  const fault = faultList.find((each) => each.name === name);
  if (!fault) throw new Error(`there is no fault "${name}"`);
  return fault;
});

describe.skipIf(sayWhyNot("chaos", lacking))("a real cluster under load", () => {
  const evidenceDirectory = mkdtempSync(join(tmpdir(), "kintsugi-chaos-"));
  afterAll(() => rmSync(evidenceDirectory, { recursive: true, force: true }));

  test(
    "survives a fault of each family and keeps its promises",
    { timeout: 400_000 },
    async ({ onTestFailed, task }) => {
      const said: string[] = [];
      onTestFailed(() => console.log(said.join("\n")));
      const report = await runChaos({
        seed: 1,
        durationMs: undefined,
        faults,
        nodeCount: 2,
        lastsMaxMs: 4_000,
        recoveryMaxMs: 120_000,
        evidenceDirectory,
        say: (line) => said.push(line),
        signal: new AbortController().signal,
      });
      expect(report.violations).toEqual([]);
      expect(report.notInjected).toEqual([]);
      expect(report.rounds.map((round) => round.faults[0]?.name)).toEqual(faults.map(({ name }) => name));
      expect(report.operations.ok).toBeGreaterThan(100);
      expect(report.log.ofTheLoad).toBeGreaterThan(50);
      task.meta.survived = { chaosOne: report.durationMs / 60_000 };
    },
  );
});
