import { describe, expect, test } from "vitest";
import { during, eventually } from "./contract-pods.ts";
import type { ContractRun } from "./contract-run.ts";

/** Commands that run in a container until they end. */
export function describeCommands(contract: ContractRun): void {
  describe("a command in a container", () => {
    test("returns its output and its exit code", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "sleep 1000");
      const result = await during(
        contract.subject,
        contract.runtime.execSync(id, ["sh", "-c", "echo out; echo err >&2; exit 5"], 10),
      );
      expect([text(result.stdout), text(result.stderr), result.exitCode]).toEqual(["out\n", "err\n", 5]);
    });

    test("shares the container's files with its program in both directions", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run(
        "main",
        "touch /tmp/healthy; while true; do sleep 0.05; test -f /tmp/stop && exit 6; done",
      );
      await eventually(contract.subject, async () => {
        const { exitCode } = await contract.runtime.execSync(id, ["cat", "/tmp/healthy"], 5);
        return exitCode === 0 || undefined;
      });
      await contract.runtime.execSync(id, ["sh", "-c", "touch /tmp/stop"], 5);
      expect(await pod.ended(id)).toMatchObject({ exitCode: 6 });
    });

    test("ends at its time limit", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "sleep 1000");
      const late = during(contract.subject, contract.runtime.execSync(id, ["sleep", "1000"], 1));
      await expect(late).rejects.toMatchObject({ reason: "deadlineExceeded" });
      expect(await contract.runtime.containerStatus(id)).toMatchObject({ state: "running" });
    });

    test("needs an existing program and a running container", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "sleep 1000");
      await expect(contract.runtime.execSync(id, ["no-such-program"], 5)).rejects.toThrow(
        /executable file (`no-such-program` )?not found in \$PATH/,
      );
      await during(contract.subject, contract.runtime.stopContainer(id, 0));
      await expect(contract.runtime.execSync(id, ["true"], 5)).rejects.toMatchObject({ reason: "failed" });
    });

    test("and returns an address for other streams", async () => {
      const pod = await contract.pods.start();
      const containerId = await pod.run("main", "sleep 1000");
      const streams = { containerId, stdin: false, stdout: true, stderr: true, tty: false };
      expect(await contract.runtime.exec({ ...streams, command: ["sh"] })).toMatch(/^http:\/\/.+\/exec\/./);
      expect(await contract.runtime.attach(streams)).toMatch(/^http:\/\/.+\/attach\/./);
      expect(await contract.runtime.portForward(pod.sandboxId, [80])).toMatch(/^http:\/\/.+\/portforward\/./);
      await during(contract.subject, contract.runtime.stopContainer(containerId, 0));
      await expect(contract.runtime.exec({ ...streams, command: ["sh"] })).rejects.toMatchObject({ reason: "failed" });
    });
  });
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
