import type { Container, PodSpec } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { CreateContainerRequest } from "@kintsugi/cri";
import { annotationNames } from "../../model/labels.ts";
import { type TestNode, withNode } from "../../testing/test-node.ts";

// Volumes that are the content of an image (KEP-4639).

const second = 1000;
const data = "registry.example/data:1.0";
const able = { runtimeName: "containerd", runtimeVersion: "2.2.0" };
const ableOfWholeImages = { runtimeName: "containerd", runtimeVersion: "2.1.9~ds1" };
const unable = { runtimeName: "containerd", runtimeVersion: "1.6.20~ds1" };

/** Two containers. Only the first mounts the volume. */
function withImage(
  image: NonNullable<PodSpec["volumes"]>[number]["image"],
  mount: Partial<NonNullable<Container["volumeMounts"]>[number]> = {},
): Partial<PodSpec> {
  const run = "script.kintsugi.dev/run";
  const volumeMounts = [{ name: "v", mountPath: "/data", ...mount }];
  return {
    volumes: [{ name: "v", image }],
    containers: [
      { name: "reads", image: run, volumeMounts },
      { name: "other", image: run },
    ],
  };
}

const waitingOf = async (node: TestNode) =>
  (await node.pod("p")).status?.containerStatuses?.find(({ name }) => name === "reads")?.state?.waiting;

function createdConfig(node: TestNode) {
  const requests = node.runtime.callsOf("createContainer").map(({ args }) => args[0] as CreateContainerRequest);
  return requests.find(({ config }) => config.metadata.name === "reads")?.config;
}

test("an image volume is pulled, mounted read-only by the runtime, and counts as in use", () =>
  withNode(async (node) => {
    node.runtime.setRelease(able);
    const mount = { subPathExpr: "etc/$(PART)" };
    const spec = withImage({ reference: data, pullPolicy: "IfNotPresent" }, mount);
    Object.assign(spec.containers?.[0] ?? {}, { env: [{ name: "PART", value: "conf" }] });
    await node.createPod("p", spec);
    await node.clock.advance(3 * second);
    expect(await node.running()).toEqual(["p/other#0", "p/reads#0"]);
    const image = node.runtime.images.find(data);
    const config = createdConfig(node);
    expect(config?.mounts[0]).toEqual({
      containerPath: "/data",
      hostPath: "",
      readonly: true,
      recursiveReadOnly: false,
      propagation: "private",
      image: image?.id,
      imageSubPath: "etc/conf",
    });
    expect(config?.annotations[annotationNames.imageVolumes]).toBe(image?.id);
    const events = await node.events();
    expect(events).toContainEqual(expect.stringContaining(`Pulling: Pulling image "${data}"`));
    expect(events).toContainEqual(expect.stringContaining(`Pulled: Successfully pulled image "${data}"`));
  }));

test("an image volume with the policy Never uses only an image that is present on the node", () =>
  withNode(async (node) => {
    node.runtime.setRelease(able);
    await node.createPod("p", withImage({ reference: data, pullPolicy: "Never" }));
    await node.clock.advance(3 * second);
    expect(await waitingOf(node)).toEqual({
      reason: "ErrImageNeverPull",
      message: `Container image "${data}" is not present with pull policy of Never`,
    });
    expect(await node.events()).toContainEqual(expect.stringContaining("Failed: Error: ErrImageNeverPull"));
    node.runtime.images.add(data);
    await node.clock.advance(60 * second);
    expect(await node.running()).toEqual(["p/other#0", "p/reads#0"]);
    expect(node.runtime.callsOf("pullImage").map(({ args }) => args[0])).not.toContain(data);
  }));

test("an image volume that cannot be pulled delays only its containers, and is retried with growing delays", () =>
  withNode(async (node) => {
    node.runtime.setRelease(able);
    const reference = "script.kintsugi.dev/pull-error:not-there";
    await node.createPod("p", withImage({ reference, pullPolicy: "IfNotPresent" }));
    await node.clock.advance(80 * second);
    expect(await node.running()).toEqual(["p/other#0"]);
    const waiting = await waitingOf(node);
    expect(waiting?.reason).toBe("ImagePullBackOff");
    expect(waiting?.message).toContain(`Back-off pulling image "${reference}": ErrImagePull: failed to pull`);
    const pulls = node.runtime.callsOf("pullImage").filter(({ args }) => args[0] === reference);
    const gaps = pulls.slice(1).map(({ atMs }, i) => Math.round((atMs - (pulls[i]?.atMs ?? 0)) / second));
    expect(gaps).toEqual([10, 20, 40]);
    expect(await node.events()).toContainEqual(expect.stringContaining("Failed: Error: ImagePullBackOff"));
  }));

test("a runtime that would ignore the image is rejected by its version before anything is pulled", () =>
  withNode(async (node) => {
    node.runtime.setRelease(unable);
    await node.createPod("p", withImage({ reference: data, pullPolicy: "IfNotPresent" }));
    await node.clock.advance(3 * second);
    const message =
      'Volume "v": type image is not supported by this kubelet with containerd 1.6.20~ds1: use containerd 2.1 or CRI-O 1.31, or newer';
    expect(await waitingOf(node)).toEqual({ reason: "CreateContainerConfigError", message });
    expect(await node.running()).toEqual(["p/other#0"]);
    expect(node.runtime.images.find(data)).toBeUndefined();
  }));

test("a runtime that would ignore the subPath of an image mounts whole images and rejects subPaths", () =>
  withNode(async (node) => {
    node.runtime.setRelease(ableOfWholeImages);
    await node.createPod("p", withImage({ reference: data, pullPolicy: "IfNotPresent" }, { subPath: "etc" }));
    await node.clock.advance(3 * second);
    expect(await waitingOf(node)).toEqual({
      reason: "CreateContainerConfigError",
      message:
        'subPath "etc" of image volume "v" is not supported by this runtime: use containerd 2.2 or CRI-O 1.33, or newer',
    });
    await node.deletePod("p", 0);
    await node.clock.advance(5 * second);
    await node.createPod("p", withImage({ reference: data, pullPolicy: "IfNotPresent" }));
    await node.clock.advance(3 * second);
    expect(await node.running()).toEqual(["p/other#0", "p/reads#0"]);
    expect(createdConfig(node)?.mounts[0]).not.toHaveProperty("imageSubPath");
  }));
