import { rm } from "node:fs/promises";
import { events, pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCriRuntime } from "@kintsugi/cri";
import { kubeletDefaults } from "@kintsugi/kubelet/factory";
import { describe, expect, test } from "vitest";
import { boundPod } from "../../support/node/bound-pod.ts";
import { sayWhyNot, whyNoClusters } from "../../support/host-abilities.ts";
import { createKubeletOnContainerd, createNodeClient } from "../../support/node/kubelet-on-containerd.ts";
import { startOwnContainerd } from "../../support/node/own-containerd.ts";
import { eventually } from "../../support/run-program.ts";

type GarbageOptions = NonNullable<NonNullable<Parameters<typeof createKubeletOnContainerd>[2]>["garbage"]>;

/** Nothing is collected unless a test sets other limits. */
const nothing: GarbageOptions = {
  containers: { maxPerPodContainer: -1, maxContainers: -1, minAgeMs: 0 },
  images: { highThresholdPercent: 100, lowThresholdPercent: 80, minAgeMs: 0, maxAgeMs: 0 },
  containerPeriodMs: 200,
  imagePeriodMs: 200,
  sandboxImage: "registry.k8s.io/pause:3.9",
};
const busybox = "docker.io/library/busybox:1";
let nodesSoFar = 0;

/** Starts a containerd, and a kubelet on it that collects garbage under the given options. */
async function startNode() {
  const deps = { clock: systemClock, random: systemRandom };
  const name = `garbage-${process.pid}-${++nodesSoFar}`;
  const memoryDirectory = `/dev/shm/kintsugi-kubelet-test-${name}`;
  const podCidr = `10.199.${40 + nodesSoFar}.0/24`;
  const containerd = await startOwnContainerd({ directory: `/tmp/k-${name}`, name, podCidr });
  const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
  const client = createNodeClient();
  let stop = async () => {};
  return {
    runtime,
    client,
    /** Starts a kubelet that replaces the previous kubelet. */
    async collect(garbage: Partial<GarbageOptions>): Promise<void> {
      await stop();
      const ending = new AbortController();
      const kubelet = await createKubeletOnContainerd({ client, runtime, containerd }, memoryDirectory, {
        garbage: { ...nothing, ...garbage },
        // Imported images are garbage here like all other images.
        images: { ...kubeletDefaults.images, localImages: false },
      });
      const ended = kubelet.run(ending.signal).catch(() => {});
      stop = async () => {
        ending.abort();
        await ended;
      };
    },
    tags: async () => (await runtime.listImages()).flatMap(({ repoTags }) => repoTags),
    /** The ended containers, as "pod#attempt". */
    ended: async () => {
      const containers = await runtime.listContainers({ state: "exited" });
      return containers.map(({ labels, metadata }) => `${labels["io.kubernetes.pod.name"]}#${metadata.attempt}`).sort();
    },
    phaseOf: async (pod: string) => (await client.get(pods, { namespace: "default", name: pod })).status?.phase,
    async [Symbol.asyncDispose]() {
      await stop();
      runtime.close();
      await containerd[Symbol.asyncDispose]();
      await rm(memoryDirectory, { recursive: true, force: true });
    },
  };
}

const image = { containers: [{ name: "c", image: busybox, imagePullPolicy: "IfNotPresent" as const }] };

describe.skipIf(sayWhyNot("garbage on a real node", whyNoClusters()))("on a real node", () => {
  test("ended containers beyond the limits for each container and for the node are removed, the oldest first", async () => {
    const containers = { maxPerPodContainer: 1, maxContainers: 2, minAgeMs: 0 };
    await using node = await startNode();
    await node.collect({ containers });
    for (const name of ["first", "second", "third", "fourth"]) {
      await node.client.create(pods, boundPod(name, "exit 0", { ...image, restartPolicy: "Never" }));
      await eventually(`${name} has ended`, async () => (await node.phaseOf(name)) === "Succeeded");
    }
    // The kubelet reports that a container has ended before the runtime lists it as ended, so the
    // two may differ for a moment.
    await eventually("the two newest are left", async () => (await node.ended()).join(" ") === "fourth#0 third#0");
    // The sandbox is removed with the last container of a pod that has ended.
    await eventually("two sandboxes are left", async () => (await node.runtime.listPodSandboxes({})).length === 2);
    expect(await node.phaseOf("first")).toBe("Succeeded");

    await node.client.create(pods, boundPod("crashes", "exit 1", image));
    const restartsOf = async () => {
      const { status } = await node.client.get(pods, { namespace: "default", name: "crashes" });
      return status?.containerStatuses?.[0]?.restartCount ?? 0;
    };
    await eventually("it was restarted twice", async () => (await restartsOf()) >= 2, 60_000);
    const kept = async () => (await node.ended()).filter((each) => each.startsWith("crashes#"));
    await eventually("one before the last is kept", async () => !(await kept()).includes("crashes#0"));
  });

  test("unused images are removed when they are old enough, except for the sandbox images", async () => {
    await using node = await startNode();
    // An event notifies the kubelet of an image that was imported without CRI.
    await eventually("busybox is there", async () => (await node.tags()).includes(busybox));
    await node.collect({ images: { ...nothing.images, maxAgeMs: 500 } });
    await eventually("busybox is gone", async () => !(await node.tags()).some((tag) => tag.includes("busybox")));
    expect(await node.tags()).toEqual(["registry.k8s.io/pause:3.9"]);
  });

  test("images are removed when the disk is too full, except for images in use", async () => {
    await using node = await startNode();
    await node.collect({});
    await node.client.create(pods, boundPod("user", "sleep 1d", image));
    await eventually("it runs", async () => (await node.phaseOf("user")) === "Running");
    // The disk of any host is fuller than this threshold.
    await node.collect({ images: { ...nothing.images, highThresholdPercent: 1, lowThresholdPercent: 0 } });
    const failures = async () =>
      (await node.client.list(events, { namespace: "default" })).items.filter(
        ({ reason }) => reason === "FreeDiskSpaceFailed",
      );
    await eventually("it was not enough", async () => (await failures()).length > 0);
    expect(await node.tags()).toContain(busybox);
    await node.client.delete(pods, { namespace: "default", name: "user" });
    await eventually("busybox is gone", async () => !(await node.tags()).some((tag) => tag.includes("busybox")));
    expect(await node.tags()).toEqual(["registry.k8s.io/pause:3.9"]);
  });
});
