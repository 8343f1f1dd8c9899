import { describe, expect, test } from "vitest";
import type { ContainerRuntime } from "../../container-runtime.ts";
import { type ContractRun, noId, noLimits } from "./contract-run.ts";

/** The contract on the runtime's name, its state, and its answers about unknown ids. */
export function describeRuntimeItself(contract: ContractRun): void {
  const eachCall: [string, (runtime: ContainerRuntime) => Promise<unknown>][] = [
    ["podSandboxStatus", (r) => r.podSandboxStatus(noId)],
    ["containerStatus", (r) => r.containerStatus(noId)],
    ["startContainer", (r) => r.startContainer(noId)],
    ["execSync", (r) => r.execSync(noId, ["true"], 1)],
    ["updateContainerResources", (r) => r.updateContainerResources(noId, noLimits)],
    ["reopenContainerLog", (r) => r.reopenContainerLog(noId)],
    ["portForward", (r) => r.portForward(noId, [80])],
  ];

  describe("the runtime itself", () => {
    test("reports its name, and that it and its network are ready", async () => {
      const version = await contract.runtime.version();
      expect(version.runtimeName).not.toBe("");
      expect(version.runtimeApiVersion).toBe("v1");
      const { conditions } = await contract.runtime.status();
      expect(conditions).toContainEqual(expect.objectContaining({ type: "RuntimeReady", status: true }));
      expect(conditions).toContainEqual(expect.objectContaining({ type: "NetworkReady", status: true }));
      await contract.runtime.updatePodCidr("10.244.0.0/24");
    });

    test("reports whether it applies CDI devices", async () => {
      expect(typeof (await contract.runtime.appliesCdi())).toBe("boolean");
    });

    test("reports each of its handlers once including the default handler, or no handlers", async () => {
      const { handlers } = await contract.runtime.status();
      const names = handlers.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)].sort());
      expect(names.includes("")).toBe(names.length > 0);
      for (const { recursiveReadOnlyMounts, userNamespaces } of handlers)
        expect([typeof recursiveReadOnlyMounts, typeof userNamespaces]).toEqual(["boolean", "boolean"]);
    });

    test.each(eachCall)("%s of a missing object is notFound", async (_, call) => {
      await expect(call(contract.runtime)).rejects.toMatchObject({ name: "RuntimeError", reason: "notFound" });
    });

    test("a call whose signal has aborted is cancelled", async () => {
      const error = expect.objectContaining({ name: "RuntimeError", reason: "cancelled" }) as Error;
      await expect(contract.runtime.version(AbortSignal.abort())).rejects.toEqual(error);
      await expect(contract.runtime.listContainers({}, AbortSignal.abort())).rejects.toEqual(error);
    });

    test("reports the place of its images", async () => {
      const [images] = await contract.runtime.imageFsInfo();
      expect(images?.mountpoint).toMatch(/^\//);
      expect(images?.timestampMs).toBeGreaterThan(1_600_000_000_000);
    });
  });
}
