import { profiles, silentLogger, type TimelineEntry } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type Explanation, explanationText, withCommandsHere } from "@kintsugi/explanation";
import { explainNamed, parseExplainTarget } from "@kintsugi/explanation/reading";
import {
  FaultDesk,
  type StoreMark,
  publishKubeconfig,
  program,
  type ResetReport,
  startServedCluster,
} from "@kintsugi/test-server/factory";
import { type TestClock, testClock } from "./test-clock.ts";
import { type TestFaults, testFaults, type TestNodes, testNodes } from "./test-faults.ts";

export interface ClusterOptions {
  /** The number of nodes, called node-1, node-2, …. Default 3. */
  nodes?: number;
  /** "steered": the cluster's clock is stopped until the test advances it. Default "steered". */
  clock?: "steered" | "real";
  /** Further flags of `kintsugi test-server`, such as "--profile=fast". */
  flags?: readonly string[];
}

/** The reasons for an object's state, for programs, and as text for a person. */
export interface ObjectExplanation extends Explanation {
  readonly text: string;
}

/** A cluster that runs as long as a test or a suite. `await using` stops it. */
export interface TestCluster extends AsyncDisposable {
  /** The path of a kubeconfig of the administrator, which is removed when the cluster stops. */
  readonly kubeconfig: string;
  /** "https://127.0.0.1:40123" */
  readonly url: string;
  /** The administrator's client, without a network. */
  readonly client: Client;
  readonly clock: TestClock;
  readonly faults: TestFaults;
  readonly nodes: TestNodes;
  /** Records the present state of all objects. */
  mark(name?: string): StoreMark;
  /**
   * Restores all objects while clients stay connected; time continues.
   * @throws ApiError when the mark belongs to another cluster.
   */
  reset(mark: StoreMark): Promise<ResetReport>;
  /** Lists the steps of nodes and pods, oldest first. */
  timeline(): Promise<readonly TimelineEntry[]>;
  /**
   * Explains an object's state, the awaited event and its time, as `kintsugi explain` does.
   * @param object "pod/web-0", "deployment/web", "node/node-1" or "workload/web".
   * @param options the namespace; default "default".
   * @throws Error when there is no such object, or it cannot be explained.
   */
  explain(object: string, options?: { namespace?: string }): Promise<ObjectExplanation>;
  /** Repeatable. */
  stop(): Promise<void>;
}

/** Starts a cluster in this process; its nodes are Ready when the promise resolves. */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const { nodes = 3, clock = "steered", flags = [] } = options;
  const config = program.readConfig([`--nodes=${nodes}`, `--clock=${clock}`, ...flags]);
  const server = await startServedCluster({ clock: systemClock, random: systemRandom, log: silentLogger }, config);
  const published = await publishKubeconfig({ clock: systemClock }, server, {
    kubeconfig: undefined,
    contextName: undefined,
    isPrivate: true,
    environment: {},
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await published.remove();
    await server[Symbol.asyncDispose]();
  };
  try {
    await Promise.race([server.nodesReady, server.failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  const faults = testFaults(
    server.faults,
    FaultDesk.callable.map(({ name }) => name),
  );
  return {
    kubeconfig: published.file,
    url: server.url,
    client: server.client,
    clock: testClock(server),
    faults,
    nodes: testNodes(
      faults,
      config.fleet.kubelets.map(({ nodeName }) => nodeName),
    ),
    mark: (name) => server.marks.mark(name),
    reset: (mark) => server.marks.resetTo(mark),
    timeline: async () => {
      const path = "/apis/kintsugi.dev/v1alpha1/timeline";
      return ((await server.client.call({ method: "GET", path })) as { items: TimelineEntry[] }).items;
    },
    explain: async (object, { namespace = "default" } = {}) => {
      const nowMs = () => (server.steering?.status() ?? { nowMs: systemClock.nowMs() }).nowMs;
      const named = { target: parseExplainTarget([object]), namespace };
      const explained = await explainNamed(server.client, named, { timers: profiles[config.profile], nowMs });
      const explanation = withCommandsHere(explained, { kubeconfig: published.file });
      return { ...explanation, text: explanationText(explanation, nowMs()).join("\n") };
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
