import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, repository, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const lacking = whyNoKubectlCluster();

interface List {
  items: KubernetesObject[];
}

describe.skipIf(sayWhyNot("services that are killed", lacking))("a cluster whose services are killed", () => {
  let cluster: LabCluster;
  const pods = async (...selector: string[]) => (await cluster.get<List>("pods", ...selector)).items;
  const ready = (object: KubernetesObject) =>
    object.status.conditions?.find((condition) => condition.type === "Ready")?.status === "True";
  const scaledTo = (count: number) =>
    eventually(`${count} pods Ready`, async () => {
      const found = await pods("-l", "app=web");
      return found.length === count && found.every(ready) ? found : undefined;
    });
  const kill = async (component: string) => {
    const before = await cluster.pidOf(component);
    process.kill(before, "SIGKILL");
    await eventually(`${component} restarted`, async () => (await cluster.pidOf(component)) !== before);
  };

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "services", nodes: 2 });
    await cluster.kubectl("apply", "-f", `${repository}/demo/web.yaml`);
    await scaledTo(6);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("does not lose an acknowledged write when its API server is killed with -9 in the middle of writes", async () => {
    const acknowledged: string[] = [];
    let writing = true;
    const writer = async (id: number) => {
      for (let i = 0; writing; i++) {
        const name = `w${id}-${i}`;
        const result = await cluster.tryKubectl(["create", "configmap", name, "--from-literal=a=b"], {
          timeoutMs: 10_000,
        });
        if (result.code === 0) acknowledged.push(name);
      }
    };
    const writers = [0, 1, 2].map(writer);
    for (let round = 0; round < 3; round++) {
      const before = acknowledged.length;
      await eventually("some writes", async () => acknowledged.length >= before + 3);
      await kill("api-server");
    }
    await eventually("the API answers", async () => (await cluster.tryKubectl(["get", "--raw", "/readyz"])).code === 0);
    writing = false;
    await Promise.all(writers);
    const present = new Set((await cluster.get<List>("configmaps")).items.map((item) => item.metadata.name));
    expect(acknowledged.length).toBeGreaterThan(8);
    expect(acknowledged.filter((name) => !present.has(name))).toEqual([]);
  });

  test("continues without NATS, and with a NATS that has lost everything", async () => {
    await kill("nats");
    await cluster.kubectl("scale", "rs", "web", "--replicas=8");
    expect(await scaledTo(8)).toHaveLength(8);
    await kill("nats");
    await cluster.kubectl("scale", "rs", "web", "--replicas=4");
    await scaledTo(4);
  });

  test("creates exactly the requested pods when its controller-manager is killed during their creation", async () => {
    await cluster.kubectl("scale", "rs", "web", "--replicas=10");
    await kill("controller-manager");
    await scaledTo(10);
    const before = (await pods("-l", "app=web")).map((pod) => pod.metadata.uid).sort();
    await kill("controller-manager");
    // A visible scaling proves that the new process works; it must not have changed anything else.
    await cluster.kubectl("annotate", "rs", "web", "seen=yes");
    await cluster.kubectl("scale", "rs", "web", "--replicas=11");
    await scaledTo(11);
    const after = (await pods("-l", "app=web")).map((pod) => pod.metadata.uid);
    expect(before.filter((uid) => !after.includes(uid))).toEqual([]);
  });

  test("binds pods that were created while its scheduler was down", async () => {
    process.kill(await cluster.pidOf("scheduler"), "SIGKILL");
    await cluster.kubectl("scale", "rs", "web", "--replicas=13");
    expect(await scaledTo(13)).toHaveLength(13);
  });

  test("keeps its containers when containerd is killed", async () => {
    await cluster.kubectl("scale", "rs", "web", "--replicas=4");
    await scaledTo(4);
    const identities = async () =>
      (await pods("-l", "app=web"))
        .map(
          (pod) =>
            `${pod.status.containerStatuses?.[0]?.containerID} ${pod.status.containerStatuses?.[0]?.restartCount}`,
        )
        .sort();
    const before = await identities();
    await kill("containerd@node-1");
    await cluster.kubectl("scale", "rs", "web", "--replicas=6");
    await scaledTo(6);
    const after = await identities();
    expect(before.filter((identity) => !after.includes(identity))).toEqual([]);
  });
});
