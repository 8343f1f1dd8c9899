import { dirname } from "node:path";
import { expect, test } from "vitest";
import { kubeletDefaults } from "../../kubelet-options.ts";
import { TestNode } from "../../testing/test-node.ts";

const second = 1000;

const manifest = `apiVersion: v1
kind: Pod
metadata: {name: static}
spec:
  containers: [{name: c, image: script.kintsugi.dev/run}]
`;

test("logs of pods from the API and from manifests are rotated when they have grown, and the runtime opens new files", async () => {
  await using node = new TestNode({ logRotation: { ...kubeletDefaults.logRotation, maxSizeBytes: 100 } });
  await node.start();
  await node.createPod("web", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
  node.manifests.write("/manifests/static.yaml", manifest);
  await node.clock.advance(5 * second);
  const containers = await node.runtime.listContainers({ state: "running" });
  expect(containers).toHaveLength(2);
  const paths = await Promise.all(containers.map(async ({ id }) => (await node.runtime.containerStatus(id)).logPath));
  for (const path of paths) await node.files.write(path, "x".repeat(100));
  await node.clock.advance(kubeletDefaults.logRotation.periodMs);
  for (const path of paths) {
    expect(await node.files.list(dirname(path))).toEqual([expect.stringMatching(/^0\.log\.\d{8}-\d{6}$/)]);
  }
  const reopened = node.runtime.callsOf("reopenContainerLog").map(({ args }) => String(args[0]));
  expect(reopened.toSorted()).toEqual(containers.map(({ id }) => id).toSorted());
});
