import { forwardOnce, runStreamedCommand } from "@kintsugi/streaming/testing";
import { describe, expect, test } from "vitest";
import { during } from "./contract-pods.ts";
import type { ContractRun } from "./contract-run.ts";

/** The contract on commands, programs and ports with a connected client. */
export function describeStreams(contract: ContractRun): void {
  describe("a stream", () => {
    const reach = async (url: Promise<string>) => await contract.subject.reach(await url);
    const outputOnly = { stdin: false, stdout: true, stderr: true, tty: false };

    test("of a command returns its output and its exit code once", async () => {
      const containerId = await (await contract.pods.start()).run("main", "sleep 1000");
      const command = ["sh", "-c", "echo out; echo err >&2; exit 3"];
      const url = await reach(contract.runtime.exec({ containerId, command, ...outputOnly }));
      expect(await during(contract.subject, runStreamedCommand(url))).toMatchObject({
        stdout: "out\n",
        stderr: "err\n",
        outcome: { reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: "3" }] } },
      });
      await expect(runStreamedCommand(url)).rejects.toThrow("the runtime answered with 404");
    });

    test("of a command passes on its input and the end of the input", async () => {
      const containerId = await (await contract.pods.start()).run("main", "sleep 1000");
      const url = await reach(contract.runtime.exec({ containerId, command: ["cat"], ...outputOnly, stdin: true }));
      expect(await during(contract.subject, runStreamedCommand(url, "one\ntwo\n"))).toMatchObject({
        stdout: "one\ntwo\n",
        outcome: { status: "Success" },
      });
    });

    test("of a missing command reports this", async () => {
      const containerId = await (await contract.pods.start()).run("main", "sleep 1000");
      const url = await reach(contract.runtime.exec({ containerId, command: ["no-such-program"], ...outputOnly }));
      const { outcome } = await during(contract.subject, runStreamedCommand(url));
      expect(outcome).toMatchObject({ reason: "InternalError", status: "Failure" });
      expect(outcome?.message).toMatch(/executable file (`no-such-program` )?not found in \$PATH/);
    });

    test("attaches to the container's own program", async () => {
      const pod = await contract.pods.start();
      const containerId = await pod.run("main", "cat", { stdin: true, stdinOnce: true });
      const url = await reach(contract.runtime.attach({ containerId, ...outputOnly, stdin: true }));
      expect(await during(contract.subject, runStreamedCommand(url, "hello\n"))).toMatchObject({ stdout: "hello\n" });
      expect(await pod.ended(containerId)).toMatchObject({ exitCode: 0 });
    });

    test("to a closed port reports this", async () => {
      const pod = await contract.pods.start();
      await pod.run("main", "sleep 1000");
      const url = await reach(contract.runtime.portForward(pod.sandboxId, [9]));
      const { error } = await during(contract.subject, forwardOnce(url, { port: 9, text: "anybody?" }));
      expect(error).toMatch(/connection refused/);
    });
  });
}
