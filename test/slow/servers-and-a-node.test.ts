import { type Node, nodes, type Pod, pods } from "@kintsugi/api";
import { type Client, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { isReady } from "@kintsugi/simulation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoServersCluster } from "../support/host-abilities.ts";
import { type LabCluster, listServers, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

// The demo's story, a node's death, once for each of its phases: at that moment the server of the
// leading controller-manager crashes, and the story has to reach the same end.

const lacking = whyNoServersCluster();

/** The state of the story, according to the API. */
interface Scene {
  readonly node: Node | undefined;
  readonly pods: readonly Pod[];
}

const dying = "node-1";
const isOnDying = ({ spec }: Pod) => spec?.nodeName === dying;
const isEnding = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const replacements = (scene: Scene) => scene.pods.filter((pod) => !isOnDying(pod) && !isEnding(pod));

/** The phases in their order; each is reached when its condition is true. */
const phases: readonly [name: string, isReached: (scene: Scene) => boolean][] = [
  ["at the moment when the node fails", () => true],
  [
    "when the node is marked as silent",
    ({ node }) =>
      node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "Unknown") === true,
  ],
  ["when it is tainted", ({ node }) => node?.spec?.taints?.some(({ effect }) => effect === "NoExecute") === true],
  ["when its pods are deleted", (scene) => scene.pods.some((pod) => isOnDying(pod) && isEnding(pod))],
  ["when a replacement is created", (scene) => replacements(scene).length >= 2],
  ["when both replacements run", (scene) => replacements(scene).filter(isReady).length === 2],
];

describe.skipIf(sayWhyNot("a node and a server", lacking))("a node fails, and a control plane with it", () => {
  let cluster: LabCluster;
  let client: Client;

  const succeeds = async (...args: string[]) => expect(await cluster.kintsugi(...args)).toMatchObject({ code: 0 });
  const leading = async () => {
    const all = await listServers(cluster);
    return all.find(({ leads }) => leads.includes("controller-manager"))?.name ?? "server-1";
  };
  const look = async (): Promise<Scene> => {
    const [node, { items }] = await Promise.all([
      client.find(nodes, { namespace: "", name: dying }),
      client.list(pods, { namespace: "default" }),
    ]);
    return { node, pods: items };
  };

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "both", nodes: 2, args: ["--servers", "3"] });
    client = createHttpClient(
      { clock: systemClock, random: systemRandom },
      { ...loadKubeconfig(cluster.kubeconfig), userAgent: "kintsugi-test" },
    );
    await cluster.kubectl("create", "deployment", "web", "--image=busybox:1", "--replicas=2", "--", "sleep", "1d");
    await cluster.kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=60s");
  });
  afterAll(async () => {
    await client?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  test.each(phases)("%s, the pods still run on other nodes, and the node returns", async (_, isReached) => {
    // Both pods begin on the node that will die.
    await succeedsOn(cluster, ["cordon", "node-2"]);
    await succeedsOn(cluster, ["delete", "pods", "-l", "app=web", "--grace-period=0", "--force"]);
    await eventually(
      "both pods run on the node that will die",
      async () => (await look()).pods.filter((pod) => isOnDying(pod) && isReady(pod)).length === 2,
      60_000,
    );
    await succeedsOn(cluster, ["uncordon", "node-2"]);
    const victim = await leading();
    const diedMs = performance.now();
    await succeeds("node", "kill", dying);
    await eventually("the phase is reached", async () => isReached(await look()), 60_000);
    const reachedMs = performance.now();
    await succeeds("server", "kill", victim);
    const elsewhere = await eventually(
      "both pods run elsewhere",
      async () => {
        const scene = await look().catch(() => undefined);
        const running = scene === undefined ? [] : replacements(scene).filter(isReady);
        return running.length === 2 && running;
      },
      120_000,
    );
    expect(elsewhere.map(({ spec }) => spec?.nodeName)).toEqual(["node-2", "node-2"]);
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    process.stdout.write(
      `${victim} died ${seconds(reachedMs - diedMs)} s after the node; healed after ${seconds(performance.now() - diedMs)} s\n`,
    );
    await succeeds("server", "return", victim);
    await succeeds("node", "return", dying);
    await eventually(
      "the node is Ready, and exactly two pods are there",
      async () => {
        const { node, pods: all } = await look();
        return node !== undefined && isReady(node as Pod) && (node.spec?.taints ?? []).length === 0 && all.length === 2;
      },
      120_000,
    );
    await eventually(
      "every server is ready",
      async () => (await listServers(cluster)).every(({ api }) => api === "ready"),
      90_000,
    );
  });
});

async function succeedsOn(cluster: LabCluster, args: readonly string[]): Promise<void> {
  await eventually(`kubectl ${args.join(" ")}`, async () => (await cluster.tryKubectl(args)).code === 0, 60_000);
}
