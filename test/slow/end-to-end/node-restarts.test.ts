import { pods } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { type CallName, type RuntimeFaults, ScriptedFaults } from "@kintsugi/cri/simulated";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../../support/host-abilities.ts";
import { NodeBehindProxy } from "../../support/node/node-behind-proxy.ts";
import { eventually, runProgram } from "../../support/run-program.ts";

// All faults of a node, on a real containerd behind a proxy: pods that are not affected must
// continue unchanged.

describe.skipIf(sayWhyNot("what dies on a real node", whyNoClusters()))("a real node", () => {
  let node: NodeBehindProxy;
  const faults = new ScriptedFaults(systemClock);
  /** The runtime's events are lost. */
  let isCutOff = false;

  beforeAll(async () => {
    const all: RuntimeFaults = {
      before: (call) => faults.before(call),
      after: (call) => faults.after(call),
      deliver: () => !isCutOff,
    };
    node = await NodeBehindProxy.start({ name: "restarts", podCidr: "10.199.6.0/24", faults: all });
    await node.create("steady", "exec sleep 3600");
    await node.runs("steady");
  });
  afterAll(async () => {
    faults.clear();
    await node?.[Symbol.asyncDispose]();
  });

  test("whose containerd crashes and restarts keeps its containers, and detects the missed changes", async () => {
    const steady = (await node.containerOf("steady"))?.containerID;
    await node.create("victim", "exec sleep 3600");
    const { containerID = "" } = await node.runs("victim");
    const victim = await node.processOf(containerID);
    await node.containerd.crash();
    process.kill(victim, "SIGKILL");
    await systemClock.sleep(1500);
    await node.containerd.start();
    await node.runs("victim", 1);
    const told = await node.exitCodeOfKilledUnseen();
    expect((await node.containerOf("victim"))?.lastState?.terminated?.exitCode).toBe(told);
    expect(await node.disorder(steady)).toEqual([]);
    await node.remove("victim");
  });

  test("on which a pod's sandbox process, or its shim, is killed replaces the pod's sandbox once", async () => {
    const steady = (await node.containerOf("steady"))?.containerID;
    await node.create("hit", "exec sleep 3600");
    await node.runs("hit");
    const first = await node.sandboxOf("hit");
    process.kill(await node.processOf(first), "SIGKILL");
    await node.runs("hit", 1);
    const second = await node.sandboxOf("hit");
    expect(second).not.toBe(first);
    expect(await node.disorder(steady)).toEqual([]);

    const { stdout } = await runProgram("pgrep", ["-f", `containerd-shim.*${second}`]);
    for (const pid of stdout.trim().split("\n")) process.kill(Number(pid), "SIGKILL");
    await node.runs("hit", 2);
    expect(await node.sandboxOf("hit")).not.toBe(second);
    expect(await node.disorder(steady)).toEqual([]);
    await node.remove("hit");
  });

  test("whose runtime fails each call, or loses its response, still starts a pod, restarts it and removes it", async () => {
    const steady = (await node.containerOf("steady"))?.containerID;
    const calls: CallName[] = [
      "runPodSandbox",
      "createContainer",
      "startContainer",
      "stopPodSandbox",
      "removeContainer",
    ];
    for (const way of ["refuse", "loseAnswer"] as const) {
      for (const call of [...calls, "listContainers", "containerStatus"] as const) faults[way](call, { times: 1 });
      const name = way === "refuse" ? "refused" : "unanswered";
      await node.create(name, "exec sleep 3600");
      const container = await eventually(`${name} runs`, async () => {
        const now = await node.containerOf(name);
        return now?.state?.running ? now : undefined;
      });
      expect(await node.disorder(steady)).toEqual([]);
      process.kill(await node.processOf(container.containerID ?? ""), "SIGKILL");
      await node.runs(name, container.restartCount + 1);
      await node.remove(name);
      faults.clear();
    }
    await eventually("nothing is left", async () => (await node.direct.listPodSandboxes()).length === 1);
    expect(await node.disorder(steady)).toEqual([]);
  });

  test("that receives no events of its runtime accounts for containers that started and ended between two lists", async () => {
    const steady = (await node.containerOf("steady"))?.containerID;
    isCutOff = true;
    // Two runs of some milliseconds each, and a run that continues.
    const script =
      "n=$(cat /s/n 2>/dev/null || echo 0); echo $((n + 1)) > /s/n; [ $n -lt 2 ] && exit $((n + 3)); exec sleep 3600";
    await node.create("fleeting", script, {
      volumes: [{ name: "s", emptyDir: {} }],
      containers: [{ name: "c", volumeMounts: [{ name: "s", mountPath: "/s" }] }],
    });
    const { lastState, containerID = "" } = await node.runs("fleeting", 2);
    expect(lastState?.terminated).toMatchObject({ exitCode: 4, reason: "Error" });
    const { annotations } = (await node.client.get(pods, { namespace: "default", name: "fleeting" })).metadata;
    const ends = JSON.parse(annotations?.["kintsugi.dev/terminations"] ?? "[]") as { exitCode: number }[];
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([4, 3]);

    // This container is not only dead but removed when the runtime is listed again, so its end is
    // certain, but its exit code is unknown.
    const id = containerID.replace("containerd://", "");
    await node.direct.stopContainer(id, 0);
    await node.direct.removeContainer(id);
    const again = await node.runs("fleeting", 3);
    expect(again.lastState?.terminated).toMatchObject({ exitCode: 137, reason: "ContainerStatusUnknown" });
    isCutOff = false;
    expect(await node.disorder(steady)).toEqual([]);
    await node.remove("fleeting");
  });

  test("restarts a pod with new parts if a restart of its container does not help", async () => {
    const lock = "test -e /scratch/lock && exit 1; touch /scratch/lock; exec sleep 3600";
    const spec = {
      volumes: [{ name: "scratch", emptyDir: {} }],
      containers: [{ name: "c", volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] }],
    };
    await node.create("locked", lock, spec, "containerRestarts=1,podRestarts=2");
    const { containerID = "" } = await node.runs("locked");
    const first = await node.sandboxOf("locked");
    process.kill(await node.processOf(containerID), "SIGKILL");
    // The first restart finds the lock that the killed container has left; the second restarts the
    // whole pod, and finds an empty volume.
    await node.runs("locked", 2);
    expect(await node.sandboxOf("locked")).not.toBe(first);
    expect(await node.events()).toContainEqual(
      expect.stringContaining("Escalating: Container c failed 1 restart in a row, so the whole pod is restarted"),
    );
    await node.remove("locked");
  });

  test.each([
    ["kept", 2],
    ["wiped", 3],
  ] as const)(
    "that is rebooted (its kubelet's files %s) starts each pod again once in place, and does not start a deleted pod",
    async (kubeletDirectory, boot) => {
      const name = `rebooted-${kubeletDirectory}`;
      await node.create(name, "exec sleep 3600", { volumes: [{ name: "scratch", emptyDir: {} }] });
      await node.create("leaves", "exec sleep 3600");
      const [before, { containerID: leaving = "" }] = [await node.runs(name), await node.runs("leaves")];
      const restarts = (await node.containerOf("steady"))?.restartCount ?? 0;
      await node.reboot(kubeletDirectory, () => node.markDeleted("leaves"));

      const after = await node.runs(name, 1);
      expect(after.containerID).not.toBe(before.containerID);
      expect(after.lastState?.terminated).toMatchObject({ containerID: before.containerID });
      const { containerID } = await node.runs("steady", restarts + 1);
      await eventually("leaves is gone", () => node.isGone("leaves"));
      await eventually("no leftover of it is on the node", async () => {
        const left = await node.direct.listContainers({});
        return left.every(({ id }) => !leaving.endsWith(id));
      });
      expect(await node.events()).toContain(`Rebooted: Node node-1 has been rebooted, boot id: boot-${boot}`);
      expect(await node.disorder(containerID, restarts + 1)).toEqual([]);
      await node.remove(name);
    },
  );
});
