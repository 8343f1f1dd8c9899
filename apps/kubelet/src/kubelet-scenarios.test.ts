import { nodes, pods, type PodSpec } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode, withNode } from "./testing/test-node.ts";

const second = 1000;
const minute = 60 * second;

/** A pod's spec with one container whose image names its behaviour. */
function doing(
  what: string,
  spec: Partial<PodSpec> = {},
  container: Partial<PodSpec["containers"][number]> = {},
): Partial<PodSpec> {
  return { ...spec, containers: [{ name: "c", image: `script.kintsugi.dev/${what}`, ...container }] };
}

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
    // Its logs can still be read, although its sandbox has stopped.
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

test("a deleted pod gets its grace period, is stopped, and leaves nothing behind", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("stubborn"));
    await node.clock.advance(2 * second);
    await node.deletePod("p", 30);
    await node.clock.advance(29 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    await node.clock.advance(2 * second);
    expect(await node.findPod("p")).toBeUndefined();
    expect(await node.runtime.listContainers()).toEqual([]);
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
    expect(
      [...node.files.entries().keys()].filter((path) => path.includes("p_") || path.startsWith("/kubelet/pods/")),
    ).toEqual([]);
    expect(await node.events()).toContain("Killing: Stopping container c");
  }));

test("a shorter grace period during a pod's stop ends it earlier", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("stubborn"));
    await node.clock.advance(2 * second);
    await node.deletePod("p", 600);
    await node.clock.advance(5 * second);
    await node.deletePod("p", 2);
    await node.clock.advance(3 * second);
    expect(await node.findPod("p")).toBeUndefined();
  }));

test("a pod that is deleted before it could start is deleted immediately", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("pull-error:unknown"));
    await node.clock.advance(2 * second);
    await node.deletePod("p", 30);
    await node.clock.advance(second);
    expect(await node.findPod("p")).toBeUndefined();
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
  }));

test("a restart of the kubelet restarts nothing and writes nothing about its pods", () =>
  withNode(async (node) => {
    await node.createPod("web", doing("run", {}, { readinessProbe: { tcpSocket: { port: 80 } } }));
    await node.createPod("crash", doing("exit:1-after-1s"));
    await node.createPod("image", doing("pull-error:unknown"));
    await node.clock.advance(90 * second);
    const revisions = async () =>
      Promise.all(["web", "crash", "image"].map(async (name) => (await node.pod(name)).metadata.resourceVersion));
    const before = await revisions();
    const calls = node.runtime.callsOf("createContainer").length;
    await node.stop();
    await node.start();
    await node.clock.advance(second);
    expect(await revisions()).toEqual(before);
    expect(node.runtime.callsOf("createContainer").length).toBe(calls);
    expect(await node.events()).not.toContain(expect.stringMatching(/^Killing/));
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

test("a pod that was force-deleted while the kubelet was down is removed when it returns", () =>
  withNode(async (node) => {
    await node.createPod("gone", doing("run"));
    await node.createPod("stays", doing("run"));
    await node.clock.advance(2 * second);
    await node.stop();
    await node.client.delete(pods, { namespace: "default", name: "gone" });
    await node.start();
    await node.clock.advance(6 * second);
    expect(await node.running()).toEqual(["stays/c#0"]);
    expect((await node.runtime.listPodSandboxes()).length).toBe(1);
  }));

test("a pod that ended and was deleted while the kubelet was down is removed from the API", () =>
  withNode(async (node) => {
    await node.createPod("done", doing("exit:0-after-1s", { restartPolicy: "Never" }));
    await node.clock.advance(3 * second);
    await node.stop();
    await node.deletePod("done", 0);
    await node.start();
    await node.clock.advance(second);
    expect(await node.findPod("done")).toBeUndefined();
  }));

test("a pod that was created and deleted while the kubelet was down is removed from the API", () =>
  withNode(async (node) => {
    await node.stop();
    await node.createPod("p", doing("run"));
    await node.deletePod("p", 30);
    await node.start();
    await node.clock.advance(second);
    expect(await node.findPod("p")).toBeUndefined();
    expect(node.runtime.callsOf("startContainer")).toEqual([]);
  }));

test("an ended sandbox is replaced once, with its containers", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run"));
    await node.clock.advance(2 * second);
    const [sandbox] = await node.runtime.listPodSandboxes();
    node.runtime.killSandbox(sandbox?.id ?? "");
    await node.clock.advance(20 * second);
    expect(node.runtime.callsOf("runPodSandbox").length).toBe(2);
    expect(await node.running()).toEqual(["p/c#1"]);
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(await node.events()).toContain("SandboxChanged: Pod sandbox changed, it will be killed and re-created.");
  }));

test("while the runtime is down nothing is concluded, and the node reports it after 30 s and recovers", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run"));
    await node.clock.advance(2 * second);
    const before = (await node.pod("p")).metadata.resourceVersion;
    node.runtime.setAvailable(false);
    await node.clock.advance(60 * second);
    expect((await node.node()).status?.conditions?.at(-1)).toMatchObject({
      status: "False",
      reason: "KubeletNotReady",
      message: "container runtime is down",
    });
    expect((await node.pod("p")).metadata.resourceVersion).toBe(before);
    node.runtime.setAvailable(true);
    await node.clock.advance(30 * second);
    expect((await node.node()).status?.conditions?.at(-1)).toMatchObject({ status: "True", reason: "KubeletReady" });
    expect(node.runtime.callsOf("runPodSandbox").length).toBe(1);
    expect(await node.events()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^NodeNotReady:/), expect.stringMatching(/^NodeReady:/)]),
    );
  }));

test("without a listing for 3 minutes the node is not healthy, in upstream's words", () =>
  withNode(async (node) => {
    node.runtime.setAvailable(false);
    await node.clock.advance(4 * minute);
    const ready = (await node.node()).status?.conditions?.at(-1);
    expect(ready?.message).toMatch(/PLEG is not healthy: pleg was last seen active \d+m[\d.]+s ago; threshold is 3m0s/);
  }));

test("a status that another client has overwritten is written again", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run"));
    await node.clock.advance(2 * second);
    const pod = await node.pod("p");
    const conditions = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === "Ready" ? { ...condition, status: "False" as const } : condition,
    );
    await node.client.update(pods, { ...pod, status: { ...pod.status, conditions } });
    await node.clock.advance(second);
    expect((await node.pod("p")).status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  }));

test("an image that cannot be pulled is retried after 10, 20, 40 … s, and the status states the reason", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("pull-error:unknown", {}, { imagePullPolicy: "IfNotPresent" }));
    await node.clock.advance(80 * second);
    const pulls = node.runtime.callsOf("pullImage").map(({ atMs }) => atMs);
    const gaps = pulls.slice(1).map((atMs, i) => Math.round((atMs - (pulls[i] ?? 0)) / second));
    expect(gaps).toEqual([10, 20, 40]);
    const waiting = (await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting;
    expect(waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
    expect(waiting?.message).toContain("unknown");
  }));

test.each([
  [
    "Never",
    "busybox:absent",
    "ErrImageNeverPull",
    'Container image "busybox:absent" is not present with pull policy of Never',
  ],
  [
    "Always",
    "Busybox",
    "InvalidImageName",
    'Failed to apply default image tag "Busybox": couldn\'t parse image name "Busybox": invalid reference format: repository name must be lowercase',
  ],
] as const)("with pull policy %s the image %s waits with %s", (imagePullPolicy, image, reason, message) =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [{ name: "c", image, imagePullPolicy }] });
    await node.clock.advance(3 * second);
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting).toEqual({ reason, message });
  }),
);

test("a pod that exceeds the node's resources fails and states the missing resource", () =>
  withNode(async (node) => {
    const resources = { requests: { cpu: "3" } };
    await node.createPod("first", doing("run", {}, { resources }));
    await node.createPod("second", doing("run", {}, { resources }));
    await node.clock.advance(2 * second);
    expect((await node.pod("first")).status?.phase).toBe("Running");
    expect((await node.pod("second")).status).toMatchObject({
      phase: "Failed",
      reason: "OutOfcpu",
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000",
    });
    await node.deletePod("first", 1);
    await node.clock.advance(3 * second);
    await node.createPod("third", doing("run", {}, { resources }));
    await node.clock.advance(2 * second);
    expect((await node.pod("third")).status?.phase).toBe("Running");
  }));

test("a pod that does not tolerate the node's taints fails, and a pod that was bound after their removal runs immediately", () =>
  withNode(async (node) => {
    const taint = async (...taints: { key: string; effect: "NoExecute" }[]) => {
      const stored = await node.node();
      await node.client.update(nodes, { ...stored, spec: { ...stored.spec, taints } });
    };
    await taint({ key: "closed", effect: "NoExecute" });
    await node.clock.advance(15 * second);
    await node.createPod("early", doing("run"));
    await node.clock.advance(2 * second);
    expect((await node.pod("early")).status).toMatchObject({ phase: "Failed", reason: "TaintToleration" });
    await taint();
    await node.createPod("late", doing("run"));
    await node.clock.advance(2 * second);
    expect((await node.pod("late")).status?.phase).toBe("Running");
  }));

test("a liveness probe that fails three times has the container killed and restarted", () =>
  withNode(async (node) => {
    const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 };
    await node.createPod("p", doing("run", {}, { livenessProbe }));
    await node.clock.advance(5 * second);
    node.prober.answer(() => ({ kind: "failure", output: "HTTP probe failed with statuscode: 500" }));
    await node.clock.advance(26 * second);
    expect(await node.running()).toEqual(["p/c#1"]);
    const events = await node.events();
    expect(events).toContain("Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500 (x3)");
    expect(events).toContain("Killing: Container c failed liveness probe, will be restarted");
  }));

test("readiness follows its probe without a restart", () =>
  withNode(async (node) => {
    await node.createPod(
      "p",
      doing("run", {}, { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 } }),
    );
    const isReady = async () => (await node.pod("p")).status?.containerStatuses?.[0]?.ready;
    await node.clock.advance(3 * second);
    expect(await isReady()).toBe(true);
    node.prober.answer(() => ({ kind: "failure", output: "no" }));
    await node.clock.advance(2 * second);
    expect(await isReady()).toBe(false);
    node.prober.answer(() => ({ kind: "success" }));
    await node.clock.advance(2 * second);
    expect(await isReady()).toBe(true);
    expect(await node.running()).toEqual(["p/c#0"]);
  }));

test("a startup probe suspends the liveness probe until it has succeeded", () =>
  withNode(async (node) => {
    const probes = {
      startupProbe: { httpGet: { port: 1 }, periodSeconds: 10, failureThreshold: 12 },
      livenessProbe: { httpGet: { port: 2 }, periodSeconds: 1, failureThreshold: 1 },
    };
    node.prober.answer(() => ({ kind: "failure", output: "still starting" }));
    await node.createPod("p", doing("run", {}, probes));
    await node.clock.advance(100 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    expect(node.prober.asked.every(({ handler }) => handler.httpGet?.port === 1)).toBe(true);
    expect((await node.pod("p")).status?.containerStatuses?.[0]).toMatchObject({ started: false, ready: false });
    await node.clock.advance(20 * second);
    expect(await node.events()).toContain("Killing: Container c failed startup probe, will be restarted");
    expect(await node.running()).toEqual(["p/c#1"]);
  }));

test("init containers run one after the other, then the containers", () =>
  withNode(async (node) => {
    const init = ["one", "two"].map((name) => ({ name, image: "script.kintsugi.dev/exit:0-after-1s" }));
    await node.createPod("p", doing("run", { initContainers: init }));
    await node.clock.advance(5 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    const { status } = await node.pod("p");
    expect(status?.initContainerStatuses?.map(({ name, state }) => [name, state?.terminated?.reason])).toEqual([
      ["one", "Completed"],
      ["two", "Completed"],
    ]);
    expect(status?.phase).toBe("Running");
  }));

test("a pod past its active deadline fails", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run", { activeDeadlineSeconds: 60 }));
    await node.clock.advance(90 * second);
    expect((await node.pod("p")).status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(await node.running()).toEqual([]);
  }));

test("an unsupported field is rejected visibly", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("run", { volumes: [{ name: "v", nfs: { server: "s", path: "/p" } }] }));
    await node.clock.advance(3 * second);
    const message = 'Volume "v": type nfs is not supported by this kubelet';
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message,
    });
    expect(await node.events()).toContainEqual(expect.stringContaining(`Failed: Error: ${message}`));
  }));

test("when the runtime's events are lost, a listing detects changes within a minute", async () => {
  await using node = new TestNode({}, { deliver: ({ type }) => type === "connected" });
  await node.start();
  await node.createPod("p", doing("run"));
  await node.clock.advance(2 * second);
  const [container] = await node.runtime.listContainers();
  node.runtime.exitContainer(container?.id ?? "", { exitCode: 1 });
  await node.clock.advance(minute);
  expect(await node.running()).toEqual(["p/c#1"]);
});
