import { configMaps, pods, type PodSpec, secrets } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

const podDirectory = async (node: TestNode) => `/kubelet/pods/${(await node.pod("p")).metadata.uid}`;
const onDisk = async (node: TestNode, plugin: string, name: string) =>
  `${await podDirectory(node)}/volumes/kubernetes.io~${plugin}/${name}`;

/** Reads a file as a container does, through the links of an atomic volume. */
function read(node: TestNode, directory: string, file: string): string | undefined {
  const data = node.files.entries().get(`${directory}/..data`);
  if (data?.kind !== "link") return undefined;
  const content = node.files.readTail(`${directory}/${data.target}/${file}`, Infinity);
  return content && Buffer.from(content).toString();
}

async function mounting(volumes: PodSpec["volumes"], mount: object = {}): Promise<TestNode> {
  const node = new TestNode();
  await node.start();
  const volumeMounts = [{ name: volumes?.[0]?.name ?? "", mountPath: "/v", ...mount }];
  await node.client.create(configMaps, { metadata: { name: "words", namespace: "default" }, data: { motto: "old" } });
  await node.client.create(secrets, {
    metadata: { name: "keys", namespace: "default" },
    data: { key: Buffer.from("old").toString("base64") },
  });
  await node.createPod("p", { containers: [{ name: "c", image: "script.kintsugi.dev/run", volumeMounts }], volumes });
  await node.clock.advance(2000);
  expect(await node.running()).toEqual(["p/c#0"]);
  return node;
}

async function setMotto(node: TestNode, motto: string): Promise<void> {
  const words = await node.client.get(configMaps, { namespace: "default", name: "words" });
  await node.client.update(configMaps, { ...words, data: { motto } });
}

test("a running container sees a changed ConfigMap within a second, in a single update", async () => {
  await using node = await mounting([{ name: "config", configMap: { name: "words" } }]);
  const directory = await onDisk(node, "configmap", "config");
  expect(read(node, directory, "motto")).toBe("old");
  await setMotto(node, "new");
  await node.clock.advance(1000);
  expect(read(node, directory, "motto")).toBe("new");
  expect((await node.files.list(directory)).filter((name) => name.startsWith("..")).length).toBe(2);
});

test("a pod's volumes are created in parallel with its sandbox", async () => {
  await using node: TestNode = new TestNode(
    {},
    { before: ({ name }) => (name === "runPodSandbox" ? node.clock.sleep(1000) : undefined) },
  );
  await node.start();
  await node.client.create(configMaps, { metadata: { name: "words", namespace: "default" }, data: { motto: "old" } });
  const containers = [{ name: "c", image: "script.kintsugi.dev/run" }];
  await node.createPod("p", { containers, volumes: [{ name: "config", configMap: { name: "words" } }] });
  await node.clock.advance(500);
  expect(node.runtime.callsOf("createContainer")).toEqual([]);
  expect(read(node, await onDisk(node, "configmap", "config"), "motto")).toBe("old");
  await node.clock.advance(1000);
  expect(await node.running()).toEqual(["p/c#0"]);
});

test("the start of a ConfigMap's watch does not cause another sync of its pod", async () => {
  await using node = await mounting([{ name: "config", configMap: { name: "words" } }]);
  expect(node.runtime.callsOf("containerStatus")).toHaveLength(1);
});

test("a Secret in a projected volume and a label in a downwardAPI volume follow their sources", async () => {
  await using node = await mounting([
    {
      name: "all",
      projected: {
        sources: [
          { secret: { name: "keys" } },
          { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
        ],
      },
    },
  ]);
  const keys = await node.client.get(secrets, { namespace: "default", name: "keys" });
  await node.client.update(secrets, { ...keys, data: { key: Buffer.from("new").toString("base64") } });
  const pod = await node.pod("p");
  await node.client.patch(
    pods,
    { namespace: "default", name: "p" },
    { type: "merge", body: { metadata: { labels: { tier: "web" } } } },
  );
  await node.clock.advance(1000);
  const directory = `/memory/${pod.metadata.uid}/all`;
  expect(read(node, directory, "key")).toBe("new");
  expect(read(node, directory, "labels")).toBe('tier="web"');
});

test("a ConfigMap that is deleted leaves the volume unchanged, and an event reports it", async () => {
  await using node = await mounting([{ name: "config", configMap: { name: "words" } }]);
  await node.client.delete(configMaps, { namespace: "default", name: "words" });
  await node.clock.advance(1000);
  expect(read(node, await onDisk(node, "configmap", "config"), "motto")).toBe("old");
  expect(await node.events()).toContainEqual(
    expect.stringContaining('FailedMount: MountVolume.SetUp failed for volume "config" : configmap "words" not found'),
  );
  expect(await node.running()).toEqual(["p/c#0"]);
});

test("an optional ConfigMap that arrives later appears in the running container", async () => {
  await using node = await mounting([{ name: "config", configMap: { name: "later", optional: true } }]);
  expect(read(node, await onDisk(node, "configmap", "config"), "motto")).toBeUndefined();
  await node.client.create(configMaps, { metadata: { name: "later", namespace: "default" }, data: { motto: "here" } });
  await node.clock.advance(1000);
  expect(read(node, await onDisk(node, "configmap", "config"), "motto")).toBe("here");
});

test("a volume in memory is mounted once with its size, and unmounted when the pod is removed", async () => {
  await using node = await mounting([{ name: "cache", emptyDir: { medium: "Memory", sizeLimit: "16Mi" } }]);
  const mounted = [[await onDisk(node, "empty-dir", "cache"), { kind: "memory", sizeBytes: 16 * 1024 ** 2 }]];
  expect([...node.mounts.points]).toEqual(mounted);
  await node.restart();
  expect([...node.mounts.points]).toEqual(mounted);
  await node.deletePod("p", 1);
  await node.clock.advance(5000);
  expect([...node.mounts.points]).toEqual([]);
  expect(await node.files.list("/kubelet/pods")).toEqual([]);
});

test("a pod that was deleted while the kubelet was down leaves no mount", async () => {
  await using node = await mounting([{ name: "cache", emptyDir: { medium: "Memory" } }], { subPath: "a" });
  expect(node.mounts.points.size).toBe(2);
  await node.stop();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.start();
  await node.clock.advance(70_000);
  expect([...node.mounts.points.keys()]).toEqual([]);
  expect(await node.files.list("/kubelet/pods")).toEqual([]);
});

test("a subPath is also bind-mounted, and the container gets that path", async () => {
  await using node = await mounting([{ name: "data", emptyDir: {} }], { subPathExpr: "logs/a" });
  const target = `${await podDirectory(node)}/volume-subpaths/data/c/0`;
  expect([...node.mounts.points]).toEqual([
    [target, { kind: "bind", source: `${await onDisk(node, "empty-dir", "data")}/logs/a` }],
  ]);
  const [container] = await node.runtime.listContainers();
  const { mounts } = await node.runtime.containerStatus(container?.id ?? "");
  expect(mounts.find(({ containerPath }) => containerPath === "/v")?.hostPath).toBe(target);
});
