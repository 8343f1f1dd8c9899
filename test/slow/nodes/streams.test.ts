import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadKubeconfig } from "@kintsugi/client";
import { clusterPaths, defaultDataRoot } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChannelSession, openChannels } from "../../support/channel-client.ts";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();
const second = 1000;

const busy = `apiVersion: v1
kind: Pod
metadata: {name: busy}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: one, image: "busybox:1", command: [sleep, 1d]}
  - {name: two, image: "busybox:1", command: [sleep, 1d]}
`;
const probed = `apiVersion: v1
kind: Pod
metadata: {name: probed}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: c
    image: busybox:1
    command: [sleep, 1d]
    livenessProbe: {exec: {command: ["true"]}, periodSeconds: 2, timeoutSeconds: 10, failureThreshold: 3}
    readinessProbe: {exec: {command: ["true"]}, periodSeconds: 2, timeoutSeconds: 10, failureThreshold: 3}
`;

/** The attack left a node without statistics for 150 s; evictions and \`kubectl top\` need them. */
const statisticsMaxMs = 30 * second;

interface Summary {
  pods: { podRef: { name: string }; containers?: { cpu?: { time: string } }[] }[];
}

describe.skipIf(sayWhyNot("many exec sessions on a pod", lacking))("exec sessions to one pod", () => {
  let cluster: LabCluster;
  let identity: Parameters<typeof openChannels>[2];

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "streams", nodes: 1 });
    const pki = (file: string) => readFileSync(join(clusterPaths(defaultDataRoot, cluster.name).pki, file));
    identity = { ca: pki("ca.crt"), cert: pki("admin.crt"), key: pki("admin.key") };
    await cluster.apply(busy);
    await cluster.apply(probed);
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/busy", "pod/probed", "--timeout=60s");
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  function openExec(container: string): Promise<ChannelSession> {
    const { server } = loadKubeconfig(cluster.kubeconfig);
    const query = `container=${container}&command=sleep&command=8&stdout=true`;
    const url = `${server.replace("https", "wss")}/api/v1/namespaces/default/pods/busy/exec?${query}`;
    return openChannels(url, "v4.channel.k8s.io", identity);
  }

  /**
   * Opens all sessions at the same time, then closes them. @returns the number of opened sessions.
   */
  async function attack(count: number): Promise<number> {
    const asked = Array.from({ length: count }, (_, index) => openExec(index % 2 === 0 ? "one" : "two"));
    const opened = (await Promise.allSettled(asked)).filter((result) => result.status === "fulfilled");
    await Promise.all(opened.map(({ value }) => value[Symbol.asyncDispose]()));
    return opened.length;
  }

  async function statistics(): Promise<Summary> {
    return JSON.parse(await cluster.kubectl("get", "--raw", "/api/v1/nodes/node-1/proxy/stats/summary")) as Summary;
  }

  /** The time of the newest figures of a pod. */
  async function measuredMs(pod: string): Promise<number> {
    const { pods } = await statistics();
    const containers = pods.find(({ podRef }) => podRef.name === pod)?.containers ?? [];
    return Math.max(0, ...containers.map(({ cpu }) => Date.parse(cpu?.time ?? "") || 0));
  }

  test.each([128, 512])("%d concurrent sessions do not block the node's statistics and probes", async (count) => {
    await eventually("statistics before", async () => (await measuredMs("probed")) > 0);
    const startMs = Date.now();
    let longestMs = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const askedMs = Date.now();
        await statistics();
        longestMs = Math.max(longestMs, Date.now() - askedMs);
        await new Promise((resolve) => setTimeout(resolve, second));
      }
    })();
    const opened = await attack(count);
    // The processes of the sessions end by themselves.
    await new Promise((resolve) => setTimeout(resolve, 12 * second));
    isOver = true;
    await watching;
    console.log(`${count} asked, ${opened} opened, statistics took ${longestMs} ms at most`);
    expect(opened).toBeGreaterThan(0);
    expect(opened).toBeLessThanOrEqual(128);
    expect(longestMs).toBeLessThan(statisticsMaxMs);
    for (const pod of ["probed", "busy"])
      await eventually(`new figures of ${pod}`, async () => (await measuredMs(pod)) > startMs, statisticsMaxMs);
    const { status } = await cluster.get("pod", "probed");
    expect(status.containerStatuses?.[0]).toMatchObject({ restartCount: 0, ready: true });
  });
});
