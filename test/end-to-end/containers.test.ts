import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterPaths, defaultDataRoot, nodePaths } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const lacking = whyNoKubectlCluster();

/** A pod with one container; `extra` is added to the container, indented by four. */
function podManifest(name: string, command: string, options: { policy?: string; extra?: string } = {}): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  restartPolicy: ${options.policy ?? "Always"}
  terminationGracePeriodSeconds: 1
  containers:
  - name: c
    image: busybox:1
    command: ["sh", "-c", ${JSON.stringify(command)}]
${options.extra ?? ""}`;
}

describe.skipIf(sayWhyNot("containers that end", lacking))("a container that ends on a real node", () => {
  let cluster: LabCluster;
  const pod = (name: string) => cluster.get("pod", name);
  const container = async (name: string) => (await pod(name)).status.containerStatuses?.[0];

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "containers", nodes: 1 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("is restarted immediately the first time and with growing delays afterwards, and states the reason of the delay", async () => {
    await cluster.apply(podManifest("crash", "echo run $(date +%s); exit 3"));
    const waiting = await eventually("CrashLoopBackOff after two restarts", async () => {
      const status = await container("crash");
      return status?.state.waiting?.reason === "CrashLoopBackOff" && status.restartCount >= 2 ? status : undefined;
    });
    const { uid } = (await pod("crash")).metadata;
    expect(waiting.state.waiting?.message).toMatch(
      new RegExp(`^back-off \\d+s restarting failed container=c pod=crash_default\\(${uid}\\)$`),
    );
    expect(waiting.lastState.terminated).toMatchObject({ reason: "Error", exitCode: 3 });
    expect(await cluster.kubectl("get", "pod", "crash")).toMatch(/crash\s+0\/1\s+CrashLoopBackOff\s+\d+ \(\d+s ago\)/);
    const described = await cluster.kubectl("describe", "pod", "crash");
    expect(described).toMatch(/Reason:\s+CrashLoopBackOff/);
    expect(described).toMatch(/Last State:\s+Terminated/);
    expect(described).toMatch(/Exit Code:\s+3/);
    expect(described).toMatch(/BackOff\s.*Back-off restarting failed container c in pod crash_default/);
  });

  test("shows the output of its earlier instance with logs --previous, and follows the present instance", async () => {
    await eventually("a restart", async () => ((await container("crash"))?.restartCount ?? 0) >= 1);
    expect(await cluster.kubectl("logs", "crash", "--previous")).toMatch(/^run \d+\n$/);
    await cluster.apply(podManifest("talker", "i=0; while true; do i=$((i+1)); echo line $i; sleep 0.2; done"));
    await eventually("talker runs", async () => (await container("talker"))?.state.running !== undefined);
    const followed = await cluster.tryKubectl(["logs", "-f", "talker"], { timeoutMs: 3_000 });
    expect(followed.stdout).toMatch(/line 1\nline 2\nline 3\n/);
    expect(await cluster.kubectl("logs", "talker", "--tail=1")).toMatch(/^line \d+\n$/);
    const none = await cluster.tryKubectl(["logs", "talker", "--previous"]);
    expect(none.stderr).toContain('previous terminated container "c" in pod "talker" not found');
  });

  test("that replaces its logs with links cannot make the node read the linked files", async () => {
    const directory = await mkdtemp(join(tmpdir(), "kintsugi-secret-"));
    const secret = join(directory, "0.log");
    // The file has the form of a log, so a reader that follows the link accepts it.
    await writeFile(secret, "2026-01-01T00:00:01Z stdout F secret\n");
    const { kubeletRoot } = nodePaths(clusterPaths(defaultDataRoot, cluster.name), { name: "node-1" });
    const script = [
      "echo honest; until test -e /tmp/go; do sleep 0.1; done",
      "cd /pod-logs/default_liar_*/c",
      `ln -s ${secret} link && mv link 0.log; touch /tmp/done; sleep 1d`,
    ].join("\n");
    const mounts = `    volumeMounts: [{name: logs, mountPath: /pod-logs}]
  volumes: [{name: logs, hostPath: {path: ${join(kubeletRoot, "pod-logs")}}}]
`;
    await cluster.apply(podManifest("liar", script, { extra: mounts }));
    const logs = async () => (await cluster.tryKubectl(["logs", "liar"])).stdout;
    await eventually("its honest log", async () => (await logs()) === "honest\n");
    const done = "touch /tmp/go; until test -e /tmp/done; do sleep 0.1; done";
    await cluster.kubectl("exec", "liar", "--", "sh", "-c", done);
    expect(await logs()).toBe("");
    await cluster.kubectl("delete", "pod", "liar", "--now");
    await rm(directory, { recursive: true });
  });

  test("that is OOM-killed reports OOMKilled and 137", async () => {
    // A tmpfs counts toward the container's memory; the kernel kills the shell that fills it.
    const limit = "    resources: {limits: {memory: 16Mi}}\n";
    await cluster.apply(podManifest("hog", "sleep 0.5; tail /dev/zero", { extra: limit }));
    const ended = await eventually("the OOM kill in the status", async () => {
      const status = await container("hog");
      return status?.lastState.terminated ?? status?.state.terminated;
    });
    expect(ended).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
    expect(await cluster.kubectl("describe", "pod", "hog")).toMatch(/Reason:\s+OOMKilled/);
  });

  test.each([
    ["never-fails", "Never", "exit 1", { phase: "Failed", restarts: 0, shown: "Error" }],
    ["never-succeeds", "Never", "exit 0", { phase: "Succeeded", restarts: 0, shown: "Completed" }],
    ["on-failure-succeeds", "OnFailure", "exit 0", { phase: "Succeeded", restarts: 0, shown: "Completed" }],
  ])("of pod %s, policy %s, %s, ends as Kubernetes specifies", async (name, policy, command, expected) => {
    await cluster.apply(podManifest(name, command, { policy }));
    await eventually(
      `${name} in phase ${expected.phase}`,
      async () => (await pod(name)).status.phase === expected.phase,
    );
    expect((await container(name))?.restartCount).toBe(expected.restarts);
    expect(await cluster.kubectl("get", "pod", name)).toMatch(new RegExp(`${name}\\s+0/1\\s+${expected.shown}\\s+0`));
  });

  test.each([
    ["on-failure-fails", "OnFailure", "exit 1"],
    ["always-succeeds", "Always", "exit 0"],
  ])("of pod %s, policy %s, %s, is restarted", async (name, policy, command) => {
    await cluster.apply(podManifest(name, command, { policy }));
    await eventually(`${name} restarted`, async () => ((await container(name))?.restartCount ?? 0) >= 1);
    expect((await pod(name)).status.phase).toBe("Running");
  });

  test("of an image that does not exist is explained, and does not affect other containers", async () => {
    await cluster.apply(podManifest("no-image", "true").replace("busybox:1", "registry.invalid/none:1"));
    const status = await eventually("the reason", async () => {
      const waiting = (await container("no-image"))?.state.waiting;
      return waiting && /^(ErrImagePull|ImagePullBackOff|ErrImageNeverPull)$/.test(waiting.reason)
        ? waiting
        : undefined;
    });
    expect(status.message).toContain("registry.invalid/none:1");
    expect(await cluster.kubectl("get", "events", "--field-selector", "involvedObject.name=no-image")).toMatch(
      /Failed/,
    );
    expect((await container("talker"))?.state.running).toBeDefined();
  });

  test("restarts with its whole pod on request: same pod, new sandbox, address and emptyDir", async () => {
    const left =
      "    volumeMounts: [{name: scratch, mountPath: /scratch}]\n  volumes: [{name: scratch, emptyDir: {}}]\n";
    await cluster.apply(
      podManifest("whole", "echo $(ls /scratch | wc -l) left; touch /scratch/a; sleep 1d", { extra: left }),
    );
    await eventually("whole runs", async () => (await container("whole"))?.state.running !== undefined);
    const before = await pod("whole");
    const restarted = await cluster.kintsugi("restart", "pod", "whole");
    expect(`${restarted.stdout}${restarted.stderr}`).toMatch(/^pod\/whole restarted in [\d.]+s\n$/);
    const after = await pod("whole");
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status.podIP).not.toBe(before.status.podIP);
    expect((await container("whole"))?.restartCount).toBe(1);
    expect(await cluster.kubectl("logs", "whole")).toBe("0 left\n");
    expect(await cluster.kubectl("describe", "pod", "whole")).toMatch(
      /Restarting\s.*Restart of the whole pod was requested/,
    );
    expect(JSON.parse(after.metadata.annotations?.["kintsugi.dev/terminations"] ?? "[]")).toMatchObject([
      { container: "c", restart: 0 },
    ]);
    const ended = await cluster.kintsugi("restart", "pod", "never-fails");
    expect(ended.stderr).toContain("pod never-fails has ended (Failed) and never runs again");
  });

  test("is removed from the node when its pod is deleted", async () => {
    await cluster.kubectl("delete", "pod", "talker", "--wait=true", "--timeout=20s");
    const list = await cluster.get<{ items: KubernetesObject[] }>("pods");
    expect(list.items.map((item) => item.metadata.name)).not.toContain("talker");
  });
});
