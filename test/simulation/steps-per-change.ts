import { deployments, isPodReady, pods, type ProfileName } from "@kintsugi/api";
import { startVirtualCluster } from "@kintsugi/simulator/factory";

export interface RunOfNodes {
  nodes: number;
  pods: number;
  minutes: number;
  profile: ProfileName;
}

export interface CountedRun {
  /** Changes of the store, most of which are heartbeats. */
  changes: number;
  /** Callbacks of the virtual clock that were called. */
  steps: number;
  stepsPerChange: number;
  /** Pods that are Ready at the end, on running machines. */
  readyPods: number;
}

/** Programs of this image run until they are stopped. */
const servingImage = "script.kintsugi.dev/run";

const key = { namespace: "default", name: "web" };

/**
 * Runs for a while with a Deployment, one of whose nodes fails after a third of the time and
 * returns after two thirds, and counts the steps from the moment at which all nodes are Ready.
 */
export async function runNodes(run: RunOfNodes): Promise<CountedRun> {
  await using cluster = await startVirtualCluster({
    nodes: run.nodes,
    profile: run.profile,
    leaderElection: false,
    disk: false,
  });
  const [revisionBefore, stepsBefore] = [cluster.store.revision(), cluster.clock.firedTimers()];
  const labels = { app: key.name };
  const spec = { containers: [{ name: "main", image: servingImage }] };
  await cluster.during(
    cluster.client.create(deployments, {
      metadata: key,
      spec: { replicas: run.pods, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    }),
  );
  const third = (run.minutes * 60_000) / 3;
  await cluster.advance(third);
  cluster.killNode("node-1");
  await cluster.advance(third);
  cluster.returnNode("node-1");
  await cluster.advance(third);
  const { items } = await cluster.during(cluster.client.list(pods, { namespace: "default", pageLimit: 5_000 }));
  if (cluster.deaths.length > 0) throw new Error(`${cluster.deaths.length} processes died`);
  const changes = cluster.store.revision() - revisionBefore;
  const steps = cluster.clock.firedTimers() - stepsBefore;
  return { changes, steps, stepsPerChange: steps / changes, readyPods: items.filter(isPodReady).length };
}
