import { readFile, rm } from "node:fs/promises";
import { type ContainerStatus, pods, type PodSpec } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCriRuntime, imageMountsOf } from "@kintsugi/cri";
import { expect, test } from "vitest";
import { boundPod } from "../support/node/bound-pod.ts";
import { startContainerd } from "../support/node/contract-subject.ts";
import { createKubeletOnContainerd, createNodeClient } from "../support/node/kubelet-on-containerd.ts";
import { eventually } from "../support/run-program.ts";

/** Reads the image's files below /image, and tries to write there. */
const script = `ls /image; touch /image/new || echo refused >> /dev/termination-log
  [ -x /image/bin/busybox ] && echo has-busybox >> /dev/termination-log; exit 0`;

function withImage(subPath?: string): Partial<PodSpec> {
  const part = subPath === undefined ? {} : { subPath };
  return {
    restartPolicy: "Never",
    volumes: [{ name: "v", image: { reference: "busybox", pullPolicy: "IfNotPresent" } }],
    containers: [
      {
        name: "c",
        volumeMounts: [{ name: "v", mountPath: "/image", ...part }],
        securityContext: { runAsUser: 1000, runAsGroup: 2000 },
      },
    ],
  };
}

test("a container reads an image as a volume if the runtime can mount it, and its status names the user", async () => {
  await using node = await startNode();
  const { client, runtime } = node;
  const { whole, subPaths } = imageMountsOf(await runtime.version());
  const ended = (name: string) =>
    eventually(`${name} ends, or is refused`, async () => {
      const status = await node.statusOf(name);
      return status?.state?.terminated !== undefined || status?.state?.waiting?.message !== undefined
        ? status
        : undefined;
    });

  await client.create(pods, boundPod("whole", script, withImage()));
  const read = await ended("whole");
  await client.create(pods, boundPod("part", script.replaceAll("/bin/busybox", "/busybox"), withImage("bin")));
  const part = await ended("part");
  const refused = (message: string) => ({
    waiting: { reason: "CreateContainerConfigError", message: expect.stringContaining(message) as string },
  });
  const succeeded = {
    terminated: expect.objectContaining({ exitCode: 0, message: "refused\nhas-busybox\n" }) as object,
  };
  const cannotMount = refused("type image is not supported by this kubelet with containerd");
  const cannotMountParts = whole ? refused('subPath "bin" of image volume "v"') : cannotMount;
  expect(read.state).toEqual(whole ? succeeded : cannotMount);
  expect(part.state).toEqual(subPaths ? succeeded : cannotMountParts);
  // Each runtime that mounts images also reports users.
  const user = { uid: read.user?.linux?.uid, gid: read.user?.linux?.gid };
  expect(user).toEqual(whole ? { uid: 1000, gid: 2000 } : { uid: undefined, gid: undefined });

  for (const name of ["whole", "part"]) {
    await client.delete(pods, { namespace: "default", name }, { gracePeriodSeconds: 0 });
  }
  await eventually("nothing of the images stays mounted", async () => {
    const mounts = await readFile("/proc/self/mountinfo", "utf8");
    const inContainerd = mounts.split("\n").filter((line) => line.includes(node.directory));
    return !inContainerd.some((line) => line.includes("image-volumes"));
  });
});

/** Starts a kubelet on a separate containerd. */
async function startNode() {
  const containerd = await startContainerd();
  const runtime = createCriRuntime({ clock: systemClock, random: systemRandom }, { endpoint: containerd.endpoint });
  const client = createNodeClient();
  const memoryDirectory = `/dev/shm/kintsugi-kubelet-test-${containerd.name}`;
  const stop = new AbortController();
  let ended = Promise.resolve();
  const dispose = async () => {
    stop.abort();
    await ended;
    runtime.close();
    await client.close();
    await containerd[Symbol.asyncDispose]();
    await rm(memoryDirectory, { recursive: true, force: true });
  };
  try {
    const kubelet = await createKubeletOnContainerd({ client, runtime, containerd }, memoryDirectory);
    ended = kubelet.run(stop.signal).catch(() => {});
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    client,
    runtime,
    directory: containerd.directory,
    statusOf: async (name: string): Promise<ContainerStatus | undefined> =>
      (await client.get(pods, { namespace: "default", name })).status?.containerStatuses?.[0],
    [Symbol.asyncDispose]: dispose,
  };
}
