import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, repository, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { showsEvents } from "../support/observe/shows-events.ts";
import { onlyInAllSamples } from "../support/samples.ts";

const lacking = whyNoKubectlCluster();

interface List {
  items: KubernetesObject[];
}

describe.skipIf(sayWhyNot("nodes that fall silent", lacking))("a real node", () => {
  let cluster: LabCluster;
  const webPods = async () => (await cluster.get<List>("pods", "-l", "app=web")).items;
  const ready = (object: KubernetesObject) =>
    object.status.conditions?.find((condition) => condition.type === "Ready")?.status;
  const node = (name: string) => cluster.get("node", name);
  const serving = async () =>
    (await webPods()).filter((pod) => ready(pod) === "True" && pod.metadata.deletionTimestamp === undefined);
  const allServe = (elsewhereThan?: string) =>
    eventually("6 pods Ready", async () => {
      const pods = await serving();
      return pods.length === 6 && pods.every((pod) => pod.spec.nodeName !== elsewhereThan) ? pods : undefined;
    });
  /** The identity of pods and containers, which is unchanged while a container runs undisturbed. */
  const identities = (pods: readonly KubernetesObject[]) =>
    pods
      .map(({ metadata, status }) =>
        [metadata.uid, status.containerStatuses?.[0]?.containerID, status.containerStatuses?.[0]?.restartCount].join(
          " ",
        ),
      )
      .sort();

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "nodes", nodes: 3 });
    await cluster.kubectl("apply", "-f", `${repository}/demo/web.yaml`);
    await allServe();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("whose kubelet is restarted does not restart containers or change a status", async () => {
    const before = identities(await allServe());
    const watch = cluster.tryKubectl(
      ["get", "pods", "-l", "app=web", "--watch-only", "--no-headers", "--request-timeout=6s"],
      { timeoutMs: 8_000 },
    );
    await cluster.kintsugi("node", "stop-kubelet", "node-1");
    await cluster.kintsugi("node", "start-kubelet", "node-1");
    await eventually("node-1 Ready", async () => ready(await node("node-1")) === "True");
    const seen = await watch;
    expect(seen.stdout).not.toMatch(/0\/1|Error|Terminating|Unknown/);
    expect(identities(await allServe())).toEqual(before);
    expect(await cluster.kubectl("get", "events", "--field-selector", "reason=Killing")).not.toMatch(/web-/);
  });

  test("on which no restart helps a pod loses it to another node, and every step has an event", async () => {
    const broken = (escalation: string) => `
apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: broken }
spec:
  replicas: 1
  selector: { matchLabels: { app: broken } }
  template:
    metadata:
      labels: { app: broken }
      annotations:
        kintsugi.dev/escalation: ${escalation}
        kintsugi.dev/backoff: initial=1s,max=1s
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{ name: c, image: "busybox:1", command: [sh, -c, "sleep 0.5; exit 3"] }]
`;
    await expect(cluster.apply(broken('"containerRestarts=3"'))).rejects.toThrow(
      /must name both containerRestarts and podRestarts, like "containerRestarts=3,podRestarts=2"/,
    );
    await cluster.apply(broken('"containerRestarts=1,podRestarts=1"'));
    const list = async () => (await cluster.get<List>("pods", "-l", "app=broken")).items;
    const first = await eventually("a pod on a node", async () => (await list()).find(({ spec }) => spec.nodeName));
    const second = await eventually("another on another node", async () =>
      (await list()).find(({ metadata, spec }) => metadata.uid !== first.metadata.uid && spec.nodeName),
    );
    expect(second.spec.nodeName).not.toBe(first.spec.nodeName);
    expect(second.metadata.annotations?.["kintsugi.dev/avoid-nodes"]).toBe(first.spec.nodeName);
    const of = ["--field-selector", `involvedObject.name=${first.metadata.name}`];
    const told = await eventually("all steps are told", async () => {
      const text = await cluster.kubectl("get", "events", ...of);
      return text.includes("Replacing") ? text : undefined;
    });
    expect(told).toMatch(/Escalating.*Container c failed 1 restart in a row, so the whole pod is restarted/);
    expect(told).toMatch(/ReplacementNeeded.*ReplicaSet broken creates a new pod, if possible on another node/);
    await eventually("the second has ended", async () =>
      (await list()).some(({ metadata }) =>
        metadata.annotations?.["kintsugi.dev/terminations"]?.includes('"exitCode":3'),
      ),
    );
    const story = await cluster.kintsugi("timeline", "--pod", second.metadata.name);
    expect(story.stdout).toMatch(/container c: restarted (once|\d+ times), .*; its last/);
    expect(story.stdout).toMatch(/ended by itself with code 3/);
    await cluster.kubectl("delete", "rs", "broken", "--wait=true", "--timeout=30s");
  });

  onlyInAllSamples(() => {
    test("whose kubelet is down past the eviction loses its pods, and cleans up when it returns", async () => {
      await cluster.kintsugi("node", "stop-kubelet", "node-2");
      // The taints are separate writes, a moment after the status.
      await eventually("node-2 Unknown and tainted", async () => {
        const silent = await node("node-2");
        return ready(silent) === "Unknown" && (silent.spec.taints ?? []).length === 2;
      });
      const described = await cluster.kubectl("describe", "node", "node-2");
      expect(described).toMatch(/Ready\s+Unknown.*NodeStatusUnknown\s+Kubelet stopped posting node status\./);
      expect(described).toMatch(/node\.kubernetes\.io\/unreachable:NoExecute/);
      expect(described).toMatch(/node\.kubernetes\.io\/unreachable:NoSchedule/);
      await allServe("node-2");
      // The pods remain terminating, because node-2 does not confirm their end.
      const terminating = (await webPods()).filter((pod) => pod.spec.nodeName === "node-2");
      expect(terminating.length).toBeGreaterThan(0);
      expect(terminating.every((pod) => pod.metadata.deletionTimestamp !== undefined)).toBe(true);
      await cluster.kintsugi("node", "start-kubelet", "node-2");
      await eventually("node-2 Ready and untainted", async () => {
        const back = await node("node-2");
        return ready(back) === "True" && (back.spec.taints ?? []).length === 0;
      });
      await eventually("the old pods are gone", async () =>
        (await webPods()).every((pod) => pod.spec.nodeName !== "node-2"),
      );
      expect((await allServe("node-2")).length).toBe(6);
    });
  });

  test("that is killed is replaced, has events, and returns clean", async () => {
    const victim = "node-1";
    await cluster.kintsugi("node", "kill", victim);
    await allServe(victim);
    expect(await cluster.kubectl("get", "nodes")).toMatch(/node-1\s+NotReady/);
    await showsEvents(cluster, () => cluster.kubectl("get", "events", "-A"), [
      /NodeNotReady\s+node\/node-1/,
      /TaintManagerEviction\s+pod\/web-.*Marking for deletion Pod default\/web-/,
    ]);
    await cluster.kintsugi("node", "return", victim);
    await eventually("node-1 Ready", async () => ready(await node(victim)) === "True");
    await eventually("the lost pods are gone", async () => (await webPods()).length === 6);
  });

  onlyInAllSamples(() => {
    test("that is killed and fenced loses its pods while it is off, and returns without the taint", async () => {
      const victim = "node-2";
      expect(await cluster.kintsugi("node", "fence", victim)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("node-2 is on"),
      });
      const before = (await allServe()).filter(({ spec }) => spec.nodeName === victim);
      expect(before.length).toBeGreaterThan(0);
      expect(await cluster.kintsugi("node", "kill", "--fence", victim)).toMatchObject({ code: 0 });
      await eventually("no pod of it is left, not even a terminating one", async () => {
        const left = (await webPods()).filter(({ spec }) => spec.nodeName === victim);
        return left.length === 0;
      });
      expect(await cluster.kubectl("describe", "node", victim)).toContain(
        "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
      );
      await allServe(victim);
      await cluster.kintsugi("node", "return", victim);
      await eventually("node-2 Ready and untainted", async () => {
        const back = await node(victim);
        return ready(back) === "True" && (back.spec.taints ?? []).length === 0;
      });
    });
  });

  test("that is rebooted starts its pods again in place, and states the reboot", async () => {
    const before = (await allServe()).filter(({ spec }) => spec.nodeName === "node-3");
    const { bootID } = (await node("node-3")).status.nodeInfo ?? {};
    await cluster.kintsugi("node", "reboot", "node-3");
    const after = await eventually("its pods serve again", async () => {
      const pods = (await allServe()).filter(({ spec }) => spec.nodeName === "node-3");
      return pods.every(({ status }) => status.containerStatuses?.[0]?.restartCount === 1) ? pods : undefined;
    });
    expect(after.map(({ metadata }) => metadata.uid).sort()).toEqual(before.map(({ metadata }) => metadata.uid).sort());
    const { nodeInfo } = (await node("node-3")).status;
    expect(nodeInfo?.bootID).not.toBe(bootID);
    expect(await cluster.kubectl("describe", "node", "node-3")).toContain(
      `Node node-3 has been rebooted, boot id: ${nodeInfo?.bootID}`,
    );
    const { stdout } = await cluster.kintsugi("node", "list");
    expect(stdout).toMatch(/node-3\s+on\s+up\s+running\s+Ready/);
  });

  onlyInAllSamples(() => {
    test("that is cut off for less than its pods tolerate keeps them, and the eviction is cancelled", async () => {
      await cluster.kubectl("delete", "rs", "web", "--cascade=foreground", "--wait=true", "--timeout=30s");
      await cluster.kubectl("apply", "-f", `${repository}/demo/web.yaml`);
      const before = await allServe();
      await cluster.kintsugi("node", "partition", "node-3");
      await eventually("node-3 Unknown", async () => ready(await node("node-3")) === "Unknown");
      await eventually("its pods are not ready", async () =>
        (await webPods()).filter((pod) => pod.spec.nodeName === "node-3").every((pod) => ready(pod) === "False"),
      );
      await cluster.kintsugi("node", "heal", "node-3");
      await eventually("node-3 Ready", async () => ready(await node("node-3")) === "True");
      expect(identities(await allServe())).toEqual(identities(before));
      const evictions = ["get", "events", "-A", "--field-selector", "reason=TaintManagerEviction"];
      await showsEvents(cluster, () => cluster.kubectl(...evictions), [/Cancelling deletion of Pod default\/web-/]);
    });
  });

  onlyInAllSamples(() => {
    test("that is cut off for longer loses its pods, and stops their remaining containers when it returns", async () => {
      await cluster.kintsugi("node", "partition", "node-3");
      await allServe("node-3");
      await cluster.kintsugi("node", "heal", "node-3");
      await eventually("node-3 Ready", async () => ready(await node("node-3")) === "True");
      await eventually("its old pods are gone", async () => (await webPods()).length === 6);
      expect((await webPods()).filter((pod) => pod.spec.nodeName === "node-3")).toEqual([]);
    });
  });
});
