import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { during, eventually } from "./contract-pods.ts";
import type { ContractRun } from "./contract-run.ts";

/** The contract on the log files of containers. */
export function describeLogs(contract: ContractRun): void {
  describe("a container's log", () => {
    test("has one line per line of output, with time and stream", async () => {
      const pod = await contract.pods.start();
      await pod.ended(await pod.run("main", "echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three"));
      const path = join(pod.config.logDirectory, "main/0.log");
      const text = await eventually(contract.subject, async () => {
        const read = await contract.subject.readLog(path);
        return read.includes("three") ? read : undefined;
      });
      const lines = text.trimEnd().split("\n");
      expect(lines.map((line) => line.split(" ").slice(1).join(" "))).toEqual([
        "stdout F one",
        "stderr F two",
        "stdout F three",
      ]);
      for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) /);
    });

    test("continues in a new file after its rotation", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "while true; do echo tick; sleep 0.05; done");
      const path = join(pod.config.logDirectory, "main/0.log");
      const hasTicks = async () => (await contract.subject.readLog(path)).includes("tick") || undefined;
      await eventually(contract.subject, hasTicks);
      await contract.subject.renameLog(path, `${path}.1`);
      await contract.runtime.reopenContainerLog(id);
      await eventually(contract.subject, hasTicks);
      await during(contract.subject, contract.runtime.stopContainer(id, 0));
      await expect(contract.runtime.reopenContainerLog(id)).rejects.toThrow(/not running/);
    });
  });
}
