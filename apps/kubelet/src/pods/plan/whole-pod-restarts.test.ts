import { type Pod, pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { scripted } from "../../testing/builders.ts";
import { type TestNode, withNode } from "../../testing/test-node.ts";

// A pod that restarts as a whole: by an annotation, or by a container's rule.

const second = 1000;
const minute = 60 * second;

async function askForRestart(node: TestNode, name: string, at: string): Promise<void> {
  const body = { metadata: { annotations: { "kintsugi.dev/restartedAt": at } } };
  await node.client.patch(pods, { namespace: "default", name }, { type: "merge", body });
}

const restarts = (pod: Pod) =>
  pod.status?.containerStatuses?.map(({ name, restartCount }) => `${name}#${restartCount}`);
const condition = (pod: Pod, type: string) => pod.status?.conditions?.find((each) => each.type === type);

test("a requested restart restarts the pod as a whole: new sandbox and address, empty volumes, init containers first", () =>
  withNode(async (node) => {
    const before = await node.createPod("p", {
      restartPolicy: "Never",
      volumes: [{ name: "scratch", emptyDir: {} }],
      initContainers: [scripted("i", "exit:0-after-1s")],
      containers: [scripted("c", "run"), scripted("done", "exit:0-after-1s")],
    });
    await node.clock.advance(10 * second);
    const left = `/kubelet/pods/${before.metadata.uid}/volumes/kubernetes.io~empty-dir/scratch/left`;
    await node.files.write(left, "over");
    const running = await node.pod("p");
    expect(running.status?.phase).toBe("Running");
    const [sandbox] = await node.runtime.listPodSandboxes({ ready: true });

    await askForRestart(node, "p", "2026-01-01T00:00:10Z");
    await node.clock.advance(500);
    // The pod's containers have ended under a policy of Never, but the pod has not ended.
    expect((await node.pod("p")).status?.phase).toBe("Pending");
    await node.clock.advance(10 * second);

    const after = await node.pod("p");
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status?.phase).toBe("Running");
    expect(await node.running()).toEqual(["p/c#1"]);
    expect(restarts(after)).toEqual(["c#1", "done#1"]);
    expect(after.status?.initContainerStatuses?.[0]?.restartCount).toBe(1);
    expect(after.status?.podIP).not.toBe(running.status?.podIP);
    const now = await node.runtime.listPodSandboxes({ ready: true });
    expect(now).toHaveLength(1);
    expect(now[0]?.id).not.toBe(sandbox?.id);
    expect(await node.files.kindOf(left)).toBeUndefined();
    expect(condition(after, "kintsugi.dev/Restarted")).toMatchObject({ status: "True", reason: "RestartRequested" });
    expect((await node.events()).join("\n")).toContain("Restarting: Restart of the whole pod was requested");

    // The pod restarts once, even if the kubelet restarts afterwards.
    await node.restart();
    await node.clock.advance(minute);
    expect(await node.running()).toEqual(["p/c#1"]);
  }));

test("an annotation without a value does not request a restart, and no restart is reported", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "run")] });
    await node.clock.advance(5 * second);
    await askForRestart(node, "p", "");
    await node.clock.advance(minute);
    expect(await node.running()).toEqual(["p/c#0"]);
    expect(condition(await node.pod("p"), "kintsugi.dev/Restarted")).toBeUndefined();
  }));

test("a requested restart honors the grace period and ends a crash loop's back-off", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "stubborn"), scripted("crashing", "exit:1-after-1s")] });
    await node.clock.advance(3 * minute);
    const waiting = await node.pod("p");
    expect(waiting.status?.containerStatuses?.[1]?.state?.waiting?.reason).toBe("CrashLoopBackOff");
    await askForRestart(node, "p", "now");
    await node.clock.advance(29 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    await node.clock.advance(3 * second);
    const count = waiting.status?.containerStatuses?.[1]?.restartCount ?? 0;
    // The container started immediately, and its first crash afterwards is again without delay.
    expect(restarts(await node.pod("p"))).toEqual(["c#1", `crashing#${count + 2}`]);
  }));

test("another image ends a crash loop immediately, and keeps the restart count", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "exit:1-after-1s")] });
    await node.clock.advance(3 * minute);
    const waiting = (await node.pod("p")).status?.containerStatuses?.[0];
    expect(waiting?.state?.waiting?.reason).toBe("CrashLoopBackOff");
    const spec = { containers: [scripted("c", "run")] };
    await node.client.patch(pods, { namespace: "default", name: "p" }, { type: "merge", body: { spec } });
    await node.clock.advance(second);
    const mended = (await node.pod("p")).status?.containerStatuses?.[0];
    expect(mended?.restartCount).toBe((waiting?.restartCount ?? 0) + 1);
    expect(mended?.state?.running).toBeDefined();
    expect(mended?.lastState?.terminated?.exitCode).toBe(1);
  }));

test("a kubelet that crashes in the middle of a restart completes it once", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "stubborn")] });
    await node.clock.advance(5 * second);
    await askForRestart(node, "p", "now");
    await node.clock.advance(10 * second);
    node.kill();
    await node.start();
    await node.clock.advance(minute);
    expect(await node.running()).toEqual(["p/c#1"]);
    expect(await node.runtime.listPodSandboxes({ ready: true })).toHaveLength(1);
  }));

test("an exit under RestartAllContainers restarts all containers in the same sandbox, with the back-off of crashes", () =>
  withNode(async (node) => {
    const rules = [{ action: "RestartAllContainers" as const, exitCodes: { operator: "In" as const, values: [42] } }];
    await node.createPod("p", {
      restartPolicy: "Never",
      volumes: [{ name: "scratch", emptyDir: {} }],
      initContainers: [scripted("i", "exit:0-after-1s")],
      containers: [
        scripted("c", "stubborn"),
        scripted("trigger", "exit:42-after-5s", { restartPolicy: "Never", restartPolicyRules: rules }),
      ],
    });
    await node.clock.advance(1.5 * second);
    const before = await node.pod("p");
    const [sandbox] = await node.runtime.listPodSandboxes({ ready: true });
    expect(condition(before, "AllContainersRestarting")).toMatchObject({ status: "False" });

    await node.clock.advance(5 * second);
    const after = await node.pod("p");
    // The rule skips the grace period: the container that ignores signals was deleted immediately,
    // and the init container runs again.
    expect(after.status?.phase).toBe("Pending");
    expect(await node.running()).toEqual(["p/i#1"]);
    await node.clock.advance(2 * second);
    const again = await node.pod("p");
    expect(await node.running()).toEqual(["p/c#1", "p/trigger#1"]);
    expect(again.status?.podIP).toBe(before.status?.podIP);
    expect((await node.runtime.listPodSandboxes({ ready: true })).map(({ id }) => id)).toEqual([sandbox?.id]);

    // The second time, the containers wait for the back-off of 10 s, under the condition with the
    // reason.
    await node.clock.advance(5 * second);
    const held = await node.pod("p");
    expect(await node.running()).toEqual([]);
    expect(condition(held, "AllContainersRestarting")).toMatchObject({
      status: "True",
      reason: "RestartAllContainersStarted",
      message: "container exited with restart policy rule",
    });
    await node.clock.advance(12 * second);
    expect(await node.running()).toEqual(["p/c#2", "p/trigger#2"]);
    expect(restarts(await node.pod("p"))).toEqual(["c#2", "trigger#2"]);
  }));
