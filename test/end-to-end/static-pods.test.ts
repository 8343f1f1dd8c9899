import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const lacking = whyNoKubectlCluster();

function manifest(command: string): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  hostNetwork: true
  terminationGracePeriodSeconds: 1
  containers:
  - name: c
    image: busybox:1
    command: ["sh", "-c", ${JSON.stringify(command)}]
`;
}

describe.skipIf(sayWhyNot("static pods", lacking))("a static pod on a real node", () => {
  let cluster: LabCluster;
  const file = () => join("/var/lib/kintsugi", cluster.name, "nodes/node-1/manifests/web.yaml");
  const find = async () => {
    const { items } = await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", "app=web");
    return items[0];
  };
  const runs = (what: string, uidBefore?: string) =>
    eventually(what, async () => {
      const pod = await find();
      const running = pod?.status.containerStatuses?.[0]?.state.running !== undefined;
      return running && pod.metadata.uid !== uidBefore && pod.metadata.deletionTimestamp === undefined
        ? pod
        : undefined;
    });
  const containerOf = (pod: KubernetesObject) => pod.status.containerStatuses?.[0]?.containerID;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "static", nodes: 1 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("runs from a file, on the node's network, and kubectl shows it with its events and log", async () => {
    await writeFile(file(), manifest("echo as $(hostname); sleep 1d"));
    const pod = await runs("the mirror pod");
    expect(pod.metadata.name).toBe("web-node-1");
    const { annotations = {} } = pod.metadata;
    expect(annotations["kubernetes.io/config.mirror"]).toBe(annotations["kubernetes.io/config.hash"]);
    const node = await cluster.get("node", "node-1");
    expect(pod.metadata).toMatchObject({ ownerReferences: [{ kind: "Node", name: "node-1", uid: node.metadata.uid }] });
    const described = await cluster.kubectl("describe", "pod", "web-node-1");
    expect(described).toMatch(/Controlled By:\s+Node\/node-1/);
    expect(described).toMatch(/Started\s.*Started container c/);
    // The container shares the node's network and UTS namespaces, so its hostname is the machine's.
    expect(await cluster.kubectl("logs", "web-node-1")).toMatch(/^as \S+\n$/);
    expect(await cluster.kubectl("exec", "web-node-1", "--", "echo", "inside")).toBe("inside\n");
    expect(pod.status.podIP).toBe((pod.status as { hostIP?: string }).hostIP);
  });

  test("is neither killed nor drained through the API, because its mirror is created again", async () => {
    const before = await runs("the pod");
    await cluster.kubectl("delete", "pod", "web-node-1", "--wait=false");
    const after = await runs("a new mirror", before.metadata.uid);
    expect(containerOf(after)).toBe(containerOf(before));
    await cluster.kubectl("delete", "pod", "web-node-1", "--grace-period=0", "--force");
    const again = await runs("another mirror", after.metadata.uid);
    expect(containerOf(again)).toBe(containerOf(before));
    await cluster.kubectl("drain", "node-1", "--ignore-daemonsets", "--timeout=10s");
    expect((await find())?.metadata.uid).toBe(again.metadata.uid);
    await cluster.kubectl("uncordon", "node-1");
  });

  test("restarts when it crashes, is replaced when its file changes, and is removed with its file", async () => {
    await writeFile(file(), manifest("sleep 2; exit 3"));
    const crashed = await eventually("a restart", async () => {
      const status = (await find())?.status.containerStatuses?.[0];
      return status && status.restartCount >= 1 ? status : undefined;
    });
    expect(crashed.lastState.terminated).toMatchObject({ exitCode: 3 });
    await rm(file());
    await eventually("the mirror is gone", async () => (await find()) === undefined);
    await writeFile(file(), "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {containers: []}\n");
    await eventually("the refusal in an event", async () =>
      /InvalidStaticPod .*spec\.containers: Required value/.test(await cluster.kubectl("get", "events", "-A")),
    );
  });
});
