import { expect, test } from "vitest";
import { doing } from "../../testing/builders.ts";
import { withNode, TestNode } from "../../testing/test-node.ts";

const second = 1000;
const minute = 60 * second;

test.each([
  ["Never", "exit:1-after-1s", { phase: "Failed", restarts: 0, reason: "Error" }],
  ["Never", "exit:0-after-1s", { phase: "Succeeded", restarts: 0, reason: "Completed" }],
  ["OnFailure", "exit:0-after-1s", { phase: "Succeeded", restarts: 0, reason: "Completed" }],
] as const)("with policy %s, %s ends the pod permanently", (restartPolicy, what, wanted) =>
  withNode(async (node) => {
    await node.createPod("p", doing(what, { restartPolicy }));
    await node.clock.advance(10 * minute);
    const { status } = await node.pod("p");
    expect(status?.phase).toBe(wanted.phase);
    expect(status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      state: { terminated: { reason: wanted.reason } },
    });
    expect(node.runtime.callsOf("startContainer").length).toBe(1);
    expect(await node.running()).toEqual([]);
    // The container's logs can still be read, although its sandbox has stopped.
    expect((await node.runtime.listContainers()).length).toBe(1);
    expect((await node.runtime.listPodSandboxes({ ready: true })).length).toBe(0);
  }),
);

test("a crash is detected and handled within milliseconds", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run"));
    await node.clock.advance(second);
    const [container] = await node.runtime.listContainers();
    node.runtime.exitContainer(container?.id ?? "", { exitCode: 3 });
    await node.clock.advance(50);
    const status = (await node.pod("p")).status?.containerStatuses?.[0];
    expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 3, reason: "Error" } } });
    expect(status?.state?.running).toBeDefined();
  }));

test("a crash loop states its delay in the status, and in an event once per crash", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("exit:1-after-1s"));
    await node.clock.advance(20 * second);
    const pod = await node.pod("p");
    const where = `p_default(${pod.metadata.uid})`;
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "CrashLoopBackOff",
      message: `back-off 20s restarting failed container=c pod=${where}`,
    });
    expect(await node.events()).toContain(`BackOff: Back-off restarting failed container c in pod ${where} (x2)`);
  }));

test("back-off survives a restart of the kubelet", () =>
  withNode(async (node) => {
    await node.createPod("crash", doing("exit:1-after-1s"));
    // Exits at 1, 2, 13, 34 and 75 s; at 80 s it waits until 155 s.
    await node.clock.advance(80 * second);
    const before = (await node.pod("crash")).status?.containerStatuses?.[0]?.restartCount;
    await node.restart();
    await node.clock.advance(50 * second);
    expect((await node.pod("crash")).status?.containerStatuses?.[0]?.restartCount).toBe(before);
    await node.clock.advance(40 * second);
    expect((await node.pod("crash")).status?.containerStatuses?.[0]?.restartCount).toBe((before ?? 0) + 1);
  }));

test("a crashing container restarts immediately, then after 10, 20, 40 … 300 s, counted from its exit", async () => {
  await using node = new TestNode();
  await node.start();
  await node.createPod("crash", { containers: [{ name: "c", image: "script.kintsugi.dev/exit:1-after-2s" }] });
  await node.clock.advance(40 * minute);
  const starts = node.runtime.callsOf("startContainer").map(({ atMs }) => atMs);
  const gaps = starts.slice(1).map((atMs, i) => Math.round((atMs - (starts[i] ?? 0)) / 100) * 100 - 2 * second);
  expect(gaps.slice(0, 8)).toEqual([0, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * second));
  const status = (await node.pod("crash")).status?.containerStatuses?.[0];
  expect(status?.restartCount).toBe(starts.length - 1);
});
