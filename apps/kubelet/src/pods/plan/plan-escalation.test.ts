import { type Pod, pods, type PodSpec } from "@kintsugi/api";
import { expect, test } from "vitest";
import { type TestNode, withNode } from "../../testing/test-node.ts";

// The successive steps when restarting a container does not help.

const second = 1000;
const minute = 60 * second;

interface Wanted {
  escalation?: string;
  owner?: boolean;
  spec?: Partial<PodSpec>;
}

async function escalating(node: TestNode, name: string, { escalation, owner, spec }: Wanted): Promise<Pod> {
  await node.createPod(name, { volumes: [{ name: "scratch", emptyDir: {} }], ...spec });
  const metadata = {
    ...(escalation === undefined ? {} : { annotations: { "kintsugi.dev/escalation": escalation } }),
    ...(owner
      ? { ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }] }
      : {}),
  };
  return node.client.patch(pods, { namespace: "default", name }, { type: "merge", body: { metadata } });
}

const doing = (what: string, name = "c") => ({ name, image: `script.kintsugi.dev/${what}` });
const condition = (pod: Pod, type: string) => pod.status?.conditions?.find((each) => each.type === type);
const told = async (node: TestNode, reason: string) =>
  (await node.events()).filter((text) => text.startsWith(`${reason}: `));
const sandboxes = async (node: TestNode) => node.runtime.callsOf("runPodSandbox").length;

test("two failed restarts restart the pod, two failed pods request another node, and each step has an event", () =>
  withNode(async (node) => {
    await escalating(node, "p", {
      escalation: "containerRestarts=2,podRestarts=2",
      owner: true,
      spec: { containers: [doing("exit:1-after-1s"), doing("run", "steady")] },
    });
    // 1 s of life and waits of 0, 10 and 20 s; then the pod is restarted instead of the third
    // container restart.
    await node.clock.advance(20 * second);
    expect(await told(node, "Escalating")).toEqual([]);
    const left = `/kubelet/pods/${(await node.pod("p")).metadata.uid}/volumes/kubernetes.io~empty-dir/scratch/left`;
    await node.files.write(left, "over");
    const before = await node.pod("p");
    await node.clock.advance(15 * second);
    expect(await told(node, "Escalating")).toEqual([
      "Escalating: Container c failed 2 restarts in a row, so the whole pod is restarted in a new sandbox with empty volumes " +
        "(pod restart 1 of 2). If 2 restarts fail again, so is it.",
    ]);
    const after = await node.pod("p");
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status?.podIP).not.toBe(before.status?.podIP);
    expect(await node.files.kindOf(left)).toBeUndefined();
    expect(await node.running()).toContain("p/steady#1");
    expect(condition(after, "kintsugi.dev/Restarted")).toMatchObject({ status: "True", reason: "Escalated" });
    expect(condition(after, "kintsugi.dev/ReplacementNeeded")).toBeUndefined();

    await node.clock.advance(35 * second);
    expect((await told(node, "Escalating")).at(-1)).toContain(
      "(pod restart 2 of 2). If 2 restarts fail again, it is marked for replacement on another node.",
    );
    expect(await told(node, "ReplacementNeeded")).toEqual([]);
    await node.clock.advance(35 * second);
    expect(await told(node, "ReplacementNeeded")).toEqual([
      "ReplacementNeeded: Container c failed 2 restarts in a row, also after 2 restarts of the pod: " +
        "ReplicaSet web creates a new pod, if possible on another node.",
    ]);
    expect(condition(await node.pod("p"), "kintsugi.dev/ReplacementNeeded")).toMatchObject({
      status: "True",
      reason: "RestartsDoNotHelp",
    });

    // The pod loops like any other until it is replaced. There is no further escalation, and events
    // are not repeated.
    const made = await sandboxes(node);
    await node.restart();
    await node.clock.advance(20 * minute);
    expect(await sandboxes(node)).toBe(made);
    expect(made).toBe(3);
    expect(await told(node, "ReplacementNeeded")).toHaveLength(1);
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("CrashLoopBackOff");
  }));

test("without the annotation a pod is not escalated", () =>
  withNode(async (node) => {
    await escalating(node, "p", { spec: { containers: [doing("exit:1-after-1s")] } });
    await node.clock.advance(30 * minute);
    expect(await sandboxes(node)).toBe(1);
    expect(condition(await node.pod("p"), "kintsugi.dev/ReplacementNeeded")).toBeUndefined();
  }));

test("a pod with an invalid annotation is not escalated, and an event states the right form once", () =>
  withNode(async (node) => {
    await escalating(node, "p", { escalation: "often", spec: { containers: [doing("exit:1-after-1s")] } });
    await node.clock.advance(10 * minute);
    expect(await sandboxes(node)).toBe(1);
    expect(await told(node, "InvalidAnnotation")).toEqual([
      'InvalidAnnotation: kintsugi.dev/escalation must be like "containerRestarts=3,podRestarts=2"; failures of the pod are not escalated until the annotation is corrected.',
    ]);
  }));

test("a container that runs for ten minutes resets its count of restarts and the pod's count", () =>
  withNode(async (node) => {
    await escalating(node, "p", {
      escalation: "containerRestarts=1,podRestarts=1",
      spec: { containers: [doing("run")] },
    });
    const crash = async (afterMs: number) => {
      await node.clock.advance(afterMs);
      const [running] = await node.runtime.listContainers({ state: "running" });
      node.runtime.exitContainer(running?.id ?? "", { exitCode: 1 });
      await node.clock.advance(11 * second);
    };
    await crash(second);
    expect(await sandboxes(node)).toBe(1);
    await crash(11 * minute);
    // The container had recovered, so this was the first failure of a new series.
    expect(await sandboxes(node)).toBe(1);
    await crash(second);
    expect(await sandboxes(node)).toBe(2);
    expect(await told(node, "Escalating")).toHaveLength(1);
    // The restart of the pod has helped for ten minutes, so it is tried again before a replacement.
    await crash(11 * minute);
    await crash(second);
    expect(await sandboxes(node)).toBe(3);
    expect(await told(node, "ReplacementNeeded")).toEqual([]);
    await crash(second);
    await crash(second);
    expect(await told(node, "ReplacementNeeded")).toHaveLength(1);
    expect(await sandboxes(node)).toBe(3);
  }));

test("a kubelet that restarts repeatedly neither loses a failure nor counts a failure twice", () =>
  withNode(async (node) => {
    await escalating(node, "p", {
      escalation: "containerRestarts=2,podRestarts=1",
      spec: { containers: [doing("exit:1-after-1s")] },
    });
    for (let i = 0; i < 14; i++) {
      await node.clock.advance(5 * second);
      node.kill();
      await node.start();
    }
    await node.clock.advance(30 * second);
    expect(await sandboxes(node)).toBe(2);
    expect(condition(await node.pod("p"), "kintsugi.dev/ReplacementNeeded")).toMatchObject({ status: "True" });
  }));

test("a failing init container also escalates, and init containers run again in the new sandbox", () =>
  withNode(async (node) => {
    await escalating(node, "p", {
      escalation: "containerRestarts=1,podRestarts=1",
      spec: { initContainers: [doing("exit:0-after-1s", "first"), doing("exit:1-after-1s", "second")] },
    });
    await node.clock.advance(30 * second);
    expect(await sandboxes(node)).toBe(2);
    const { initContainerStatuses } = (await node.pod("p")).status ?? {};
    expect(initContainerStatuses?.map(({ name, restartCount }) => `${name}#${restartCount}`)).toContain("first#1");
  }));

test("podRestarts=0 requests a replacement immediately, and a requested restart resets all counts", () =>
  withNode(async (node) => {
    await escalating(node, "p", {
      escalation: "containerRestarts=1,podRestarts=0",
      spec: { containers: [doing("exit:1-after-1s")] },
    });
    await node.clock.advance(4 * second);
    expect(condition(await node.pod("p"), "kintsugi.dev/ReplacementNeeded")).toMatchObject({ status: "True" });
    expect((await told(node, "ReplacementNeeded"))[0]).toContain("no controller could create a pod");
    const body = { metadata: { annotations: { "kintsugi.dev/restartedAt": "now" } } };
    await node.client.patch(pods, { namespace: "default", name: "p" }, { type: "merge", body });
    await node.clock.advance(500);
    expect(condition(await node.pod("p"), "kintsugi.dev/ReplacementNeeded")).toBeUndefined();
  }));
