import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type CriServer, startCriProxy } from "@kintsugi/cri/testing";
import { ScriptedFaults } from "@kintsugi/cri/simulated";
import { clusterPaths, defaultDataRoot, nodePaths } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const lacking = whyNoKubectlCluster();

const minuteMs = 60_000;

describe.skipIf(sayWhyNot("a runtime that lists nothing for 3 min", lacking))("a node whose runtime", () => {
  const name = `pleg-${process.pid}`;
  const faults = new ScriptedFaults(systemClock);
  let directory: string;
  let proxy: CriServer;
  let cluster: LabCluster;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "kintsugi-pleg-"));
    const { containerdSocket } = nodePaths(clusterPaths(defaultDataRoot, name), { name: "node-1" });
    // The proxy answers once the node's containerd answers, which `up` starts.
    proxy = await startCriProxy(
      { clock: systemClock, random: systemRandom },
      { upstreamEndpoint: `unix://${containerdSocket}`, socketPath: join(directory, "proxy.sock"), faults },
    );
    const args = ["--kubelet-arg", `container-runtime-endpoint=${proxy.endpoint}`];
    cluster = await startLabCluster({ name: "pleg", nodes: 1, args });
  });
  afterAll(async () => {
    faults.clear();
    await cluster?.[Symbol.asyncDispose]();
    await proxy?.close();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  const readyOf = async () =>
    (await cluster.get("node", "node-1")).status.conditions?.find(({ type }) => type === "Ready");

  test("does not list containers for three minutes is not healthy and reports it; running containers continue, and the node recovers", async () => {
    const spec = {
      containers: [{ name: "c", image: "busybox:1", command: ["sleep", "1d"] }],
      // The node's problem is not a reason to be evicted from it.
      tolerations: [{ operator: "Exists" }],
    };
    const manifest = (pod: string) => JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: pod }, spec });
    await cluster.apply(manifest("steady"));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/steady", "--timeout=30s");
    const { containerStatuses: before } = (await cluster.get("pod", "steady")).status;

    // Every list is accepted and never answered, as by a hanging containerd; all other calls are
    // answered normally.
    const startedMs = performance.now();
    for (const call of ["listPodSandboxes", "listContainers"] as const) faults.hang(call, { times: Infinity });
    const sick = await eventually(
      "the node is not ready",
      async () => {
        const ready = await readyOf();
        return ready?.status === "False" && ready;
      },
      6 * minuteMs,
    );
    // The node is not considered faulty before the limit, because a slow list is not a fault. With
    // events a list is due only every minute.
    expect(performance.now() - startedMs).toBeGreaterThan(2 * minuteMs);
    expect(sick).toMatchObject({
      reason: "KubeletNotReady",
      message: expect.stringMatching(
        /^PLEG is not healthy: pleg was last seen active 3m\d+\.\d+s ago; threshold is 3m0s$/,
      ),
    });
    const { stdout } = await cluster.tryKubectl(["get", "nodes"]);
    expect(stdout).toMatch(/^node-1 +NotReady /m);
    const taints = async () => ((await cluster.get("node", "node-1")).spec.taints ?? []).map(({ key }) => key);
    await eventually("the taint", async () => (await taints()).includes("node.kubernetes.io/not-ready"));

    faults.clear();
    await eventually("the node is ready again", async () => (await readyOf())?.status === "True", minuteMs);
    await eventually("no taint", async () => (await taints()).length === 0);
    await cluster.apply(manifest("newcomer"));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/newcomer", "--timeout=30s");
    expect((await cluster.get("pod", "steady")).status.containerStatuses).toEqual(before);
  });
});
