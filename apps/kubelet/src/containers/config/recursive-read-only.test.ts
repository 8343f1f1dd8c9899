import type { PodStatus, VolumeMount } from "@kintsugi/api";
import type { CreateContainerRequest } from "@kintsugi/cri";
import { expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { TestNode } from "../../testing/test-node.ts";
import { resolveRecursiveReadOnly, withVolumeMounts } from "./recursive-read-only.ts";

const second = 1000;
const aMount = (more: Partial<VolumeMount> = {}): VolumeMount => ({
  name: "v",
  mountPath: "/v",
  readOnly: true,
  ...more,
});
const refused = (because: string) => ({ refusal: `volume "v" requested recursive read-only mode, but ${because}` });
const [recursive, plain] = [{ isRecursive: true }, { isRecursive: false }];

test.each<[string, VolumeMount, boolean, unknown]>([
  ["no request", aMount(), true, plain],
  ["Disabled", aMount({ recursiveReadOnly: "Disabled" }), true, plain],
  ["IfPossible, with support", aMount({ recursiveReadOnly: "IfPossible" }), true, recursive],
  ["IfPossible, without support", aMount({ recursiveReadOnly: "IfPossible" }), false, plain],
  ["Enabled", aMount({ recursiveReadOnly: "Enabled" }), true, recursive],
  [
    "Enabled, not supported",
    aMount({ recursiveReadOnly: "Enabled" }),
    false,
    refused("it is not supported by the runtime"),
  ],
  ["propagation None", aMount({ recursiveReadOnly: "Enabled", mountPropagation: "None" }), true, recursive],
  ["not read-only", aMount({ recursiveReadOnly: "IfPossible", readOnly: false }), true, refused("it is not read-only")],
  [
    "another propagation",
    aMount({ recursiveReadOnly: "IfPossible", mountPropagation: "HostToContainer" }),
    true,
    refused('it is not compatible with propagation "HostToContainer"'),
  ],
])("a mount with %s", (_, mount, isSupported, resolved) => {
  expect(resolveRecursiveReadOnly(mount, isSupported)).toEqual(resolved);
});

test("mounts that are not read-only report only their paths, and earlier reports remain", () => {
  const volumeMounts = [aMount({ readOnly: false }), aMount({ name: "w", mountPath: "/w" })];
  const pod = aPod({
    containers: [{ name: "c", volumeMounts }, { name: "none" }, { name: "old", volumeMounts }],
    ephemeralContainers: [{ name: "debug", volumeMounts: volumeMounts.slice(0, 1) }],
  });
  const said = (name: string) => ({ name, ready: true, restartCount: 0, image: "", imageID: "" });
  const told = { ...said("old"), volumeMounts: [{ name: "v", mountPath: "/before" }] };
  const status: PodStatus = {
    containerStatuses: [said("c"), said("none"), said("old")],
    ephemeralContainerStatuses: [said("debug")],
  };
  expect(withVolumeMounts(status, { pod, previous: { containerStatuses: [told] }, isSupported: true })).toEqual({
    containerStatuses: [
      {
        ...said("c"),
        volumeMounts: [
          { name: "v", mountPath: "/v" },
          { name: "w", mountPath: "/w", readOnly: true, recursiveReadOnly: "Disabled" },
        ],
      },
      said("none"),
      told,
    ],
    ephemeralContainerStatuses: [{ ...said("debug"), volumeMounts: [{ name: "v", mountPath: "/v" }] }],
  });
});

test("a pod without mounts gets its status back unchanged", () => {
  const pod = aPod({ containers: [{ name: "c" }, { name: "d", volumeMounts: [] }] });
  const status: PodStatus = {
    containerStatuses: [{ name: "c", ready: true, restartCount: 0, image: "", imageID: "" }],
  };
  expect(withVolumeMounts(status, { pod, previous: status, isSupported: true })).toBe(status);
});

const mounting = (recursiveReadOnly: "Enabled" | "IfPossible") => ({
  volumes: [{ name: "v", emptyDir: {} }],
  containers: [{ name: "c", image: "busybox:1.36", volumeMounts: [aMount({ recursiveReadOnly })] }],
});
const handler = (name: string, recursiveReadOnlyMounts: boolean) => ({
  name,
  recursiveReadOnlyMounts,
  userNamespaces: false,
});

/** Returns the reports of the node, of the pod's status and of the container's own mount. */
async function whatIsTold(node: TestNode, pod: string) {
  const [status] = (await node.pod(pod)).status?.containerStatuses ?? [];
  const requests = node.runtime.callsOf("createContainer").map(({ args }) => args[0] as CreateContainerRequest);
  const mounts = requests.at(-1)?.config.mounts ?? [];
  return {
    node: (await node.node()).status?.runtimeHandlers,
    status: status?.volumeMounts,
    mount: mounts.find(({ containerPath }) => containerPath === "/v")?.recursiveReadOnly,
  };
}

test("the runtime's support is reported for the node, used for containers, and reported for their mounts", async () => {
  await using node = new TestNode();
  node.runtime.setHandlers([handler("", true), handler("other", false)]);
  await node.start();
  await node.createPod("p", mounting("Enabled"));
  await node.clock.advance(2 * second);
  const told = {
    node: [
      { name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: false } },
      { name: "other", features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
    ],
    status: [{ name: "v", mountPath: "/v", readOnly: true, recursiveReadOnly: "Enabled" }],
    mount: true,
  };
  expect(await whatIsTold(node, "p")).toEqual(told);
  // A mount keeps its mode, even under a runtime with other abilities.
  node.runtime.setHandlers([]);
  await node.restart();
  await node.clock.advance(90 * second);
  expect(await whatIsTold(node, "p")).toEqual({ ...told, node: undefined });
});

test("without the runtime's support a required recursive mount is rejected, and an optional one becomes a plain mount", async () => {
  await using node = new TestNode();
  node.runtime.setHandlers([handler("", false), handler("other", true)]);
  await node.start();
  await node.createPod("insists", mounting("Enabled"));
  await node.clock.advance(2 * second);
  const [status] = (await node.pod("insists")).status?.containerStatuses ?? [];
  expect(status?.state?.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message:
      'failed to resolve recursive read-only mode: volume "v" requested recursive read-only mode, but it is not supported by the runtime',
  });
  await node.createPod("asks", mounting("IfPossible"));
  await node.clock.advance(2 * second);
  expect(await whatIsTold(node, "asks")).toMatchObject({ status: [{ recursiveReadOnly: "Disabled" }], mount: false });
  expect((await node.pod("asks")).status?.phase).toBe("Running");
});
