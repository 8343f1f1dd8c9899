import { deployments, findCondition, nodes, type Pod, pods, type PodSpec, silentLogger } from "@kintsugi/api";
import { createInProcessClient, type HttpPool } from "@kintsugi/client";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { Fleet } from "@kintsugi/hollow/factory";
import { program } from "@kintsugi/hollow/program";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { describe, expect, test } from "vitest";

const second = 1000;

describe("hollow nodes next to a cluster's own nodes", () => {
  test("are Ready with their own names, zones and addresses, and run the pods that are bound to them", async () => {
    await using hollow = await startHollow(["--nodes", "20", "--zones", "3"]);
    const { items } = await hollow.cluster.client.list(nodes, { labelSelector: "kintsugi.dev/hollow=true" });
    expect(items).toHaveLength(20);
    expect(items.filter((node) => findCondition(node.status?.conditions, "Ready")?.status === "True")).toHaveLength(20);
    expect(new Set(items.map(({ spec }) => spec?.podCIDR)).size).toBe(20);
    const zones = items.map(({ metadata }) => metadata.labels?.["topology.kubernetes.io/zone"] ?? "");
    expect(new Set(zones)).toEqual(new Set(["zone-1", "zone-2", "zone-3"]));
    await hollow.deploy("web", 40);
    await hollow.cluster.advance(10 * second);
    const running = await hollow.pods("web");
    expect(running.map(({ status }) => status?.phase)).toEqual(Array.from({ length: 40 }, () => "Running"));
    expect(new Set(running.map(({ status }) => status?.podIP)).size).toBe(40);
    expect(running.every((pod) => findCondition(pod.status?.conditions, "Ready")?.status === "True")).toBe(true);
  });

  test("fail and return by their annotation, and lose their pods to other nodes in the meantime", async () => {
    await using hollow = await startHollow(["--nodes", "5"]);
    const { client } = hollow.cluster;
    await hollow.deploy("web", 10);
    await hollow.cluster.advance(10 * second);
    const dead = (await hollow.pods("web"))[0]?.spec?.nodeName ?? "";
    await hollow.setPower(dead, "off");
    await hollow.cluster.advance(60 * second);
    const node = await client.get(nodes, { namespace: "", name: dead });
    expect(findCondition(node.status?.conditions, "Ready")?.status).toBe("Unknown");
    const after = (await hollow.pods("web")).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(after).toHaveLength(10);
    expect(after.filter(({ spec }) => spec?.nodeName === dead)).toEqual([]);
    expect(after.every(({ status }) => status?.phase === "Running")).toBe(true);
    await hollow.setPower(dead, null);
    await hollow.cluster.advance(30 * second);
    const back = await client.get(nodes, { namespace: "", name: dead });
    expect(findCondition(back.status?.conditions, "Ready")?.status).toBe("True");
    expect(back.status?.nodeInfo?.bootID).not.toBe(node.status?.nodeInfo?.bootID);
    // The pods that the node should have ended before its death end when it returns.
    expect(await hollow.pods("web")).toHaveLength(10);
  });

  test("stop while they are paused, and continue", async () => {
    await using hollow = await startHollow(["--nodes", "2"]);
    const ready = async () => {
      const node = await hollow.cluster.client.get(nodes, { namespace: "", name: "hollow-1" });
      return findCondition(node.status?.conditions, "Ready")?.status;
    };
    await hollow.setPower("hollow-1", "paused");
    await hollow.cluster.advance(20 * second);
    expect(await ready()).toBe("Unknown");
    await hollow.setPower("hollow-1", "on");
    await hollow.cluster.advance(5 * second);
    expect(await ready()).toBe("True");
  });

  test("start containers late, crash them, and fail their probes as their annotations state", async () => {
    await using hollow = await startHollow(["--nodes", "2"]);
    await hollow.deploy("late", 1, { annotations: { "kintsugi.dev/start-delay": "20s" } });
    await hollow.deploy("crashing", 1, { annotations: { "kintsugi.dev/script": "sleep 1; exit 3" } });
    const probe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };
    await hollow.deploy("probed", 1, { container: { readinessProbe: probe, livenessProbe: probe } });
    await hollow.cluster.advance(10 * second);
    const [late, crashing, probed] = await Promise.all(["late", "crashing", "probed"].map((name) => hollow.pod(name)));
    expect(late?.status?.phase).toBe("Pending");
    expect(crashing?.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(3);
    expect(crashing?.status?.containerStatuses?.[0]?.restartCount).toBeGreaterThan(1);
    expect(findCondition(probed?.status?.conditions, "Ready")?.status).toBe("True");
    const annotations = { "kintsugi.dev/failing-probes": "readiness" };
    const key = { namespace: "default", name: probed?.metadata.name ?? "" };
    await hollow.cluster.client.patch(pods, key, { type: "merge", body: { metadata: { annotations } } });
    await hollow.cluster.advance(15 * second);
    expect((await hollow.pod("late")).status?.phase).toBe("Running");
    const failing = await hollow.pod("probed");
    expect(findCondition(failing.status?.conditions, "Ready")?.status).toBe("False");
    expect(failing.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });
});

test("an invalid command line names its remedy", () => {
  const read = (...args: string[]) => program.readConfig(["--kubeconfig", "unused", ...args]);
  expect(() => read("--nodes", "300", "--pod-network", "100.64.0.0/16")).toThrow(
    "--pod-network 100.64.0.0/16 has room for the nodes 1 to 255 of 256 addresses each, not for 300: use a larger network, fewer nodes, or fewer --max-pods",
  );
  expect(() => read("--nodes", "1", "--cpu", "many")).toThrow(/^--cpu "many": /);
  expect(() => read("--nodes", "1", "--memory", "0")).toThrow("--memory must be more than 0, not 0");
  expect(() => read("--nodes", "5001")).toThrow(/5000/);
});

/**
 * A cluster in virtual time with one unschedulable node of its own, and additional hollow nodes.
 */
async function startHollow(args: readonly string[]) {
  const cluster = await startVirtualCluster({ nodes: 1, profile: "fast" });
  const { client } = cluster;
  await client.patch(
    nodes,
    { namespace: "", name: "node-1" },
    { type: "merge", body: { spec: { unschedulable: true } } },
  );
  const config = program.readConfig(["--kubeconfig", "unused", "--profile", "fast", ...args]);
  const fleet = new Fleet(
    { pool: poolTo(cluster), clock: cluster.clock, random: new SeededRandom(1), log: silentLogger },
    config,
  );
  const stop = new AbortController();
  const running = fleet.run(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await cluster.advance(10 * second);
  const podsOf = async (app: string): Promise<Pod[]> =>
    (await client.list(pods, { labelSelector: `app=${app}` })).items;
  return {
    cluster,
    pods: podsOf,
    pod: async (app: string) => (await podsOf(app))[0] as Pod,
    setPower: (name: string, power: string | null) =>
      client.patch(
        nodes,
        { namespace: "", name },
        { type: "merge", body: { metadata: { annotations: { "kintsugi.dev/power": power } } } },
      ),
    deploy: (name: string, replicas: number, { annotations = {}, container = {} }: Traits = {}) =>
      client.create(deployments, {
        metadata: { name, namespace: "default" },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name }, annotations },
            spec: { containers: [{ name: "main", image: "nginx", ...container }] },
          },
        },
      }),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await cluster.advance(second);
      await running;
      await cluster[Symbol.asyncDispose]();
    },
  };
}

interface Traits {
  annotations?: Record<string, string>;
  container?: Partial<PodSpec["containers"][number]>;
}

function poolTo({ server, clock }: VirtualCluster): HttpPool {
  const random = new SeededRandom(2);
  const admin = { name: "admin", groups: ["system:masters", "system:authenticated"] };
  return {
    client: (user) =>
      createInProcessClient(
        { handler: server, clock, random },
        {
          identity:
            user === undefined ? admin : { name: user.name, groups: [user.group ?? "", "system:authenticated"] },
        },
      ),
    close: () => Promise.resolve(),
  };
}
