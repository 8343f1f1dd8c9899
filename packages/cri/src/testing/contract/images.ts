import { describe, expect, test } from "vitest";
import { during } from "./contract-pods.ts";
import { type ContractRun, nowhere } from "./contract-run.ts";

/** Images by their names, and images that do not exist. */
export function describeImages(contract: ContractRun): void {
  describe("an image", () => {
    test("is found by each of its names and by its ID, and listed once", async () => {
      const image = await contract.runtime.imageStatus("busybox");
      expect(image).toMatchObject({ id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string, username: "" });
      expect(image?.repoTags).toContain("docker.io/library/busybox:latest");
      expect(image?.sizeBytes).toBeGreaterThan(0);
      expect(image?.repoTags.length).toBeGreaterThan(1);
      for (const tag of image?.repoTags ?? []) expect(await contract.runtime.imageStatus(tag)).toEqual(image);
      expect(await contract.runtime.imageStatus(image?.id ?? "")).toEqual(image);
      expect((await contract.runtime.listImages()).filter(({ id }) => id === image?.id)).toEqual([image]);
    });

    test("that is missing has no status, and is removed without an error", async () => {
      expect(await contract.runtime.imageStatus(nowhere)).toBeUndefined();
      await contract.runtime.removeImage(nowhere);
    });

    test("that cannot be pulled reports the reason", async () => {
      const pulling = during(contract.subject, contract.runtime.pullImage(nowhere));
      await expect(pulling).rejects.toMatchObject({
        reason: "failed",
        // The rest of the message depends on the network.
        message: expect.stringMatching(/failed to resolve reference "registry\.invalid\/none:1"/) as string,
      });
    });
  });
}
