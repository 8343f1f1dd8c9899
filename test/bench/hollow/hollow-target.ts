import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { hollowLabel, isConditionTrue, type Node, nodes, type ProfileName } from "@kintsugi/api";
import { type Client, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { repository } from "../../support/lab-cluster.ts";
import { endWithThis } from "../../support/run-program.ts";
import { type BenchCluster, bringUp, openBenchCluster, processUsage } from "../bench-cluster.ts";
import { eachOf } from "../each-of.ts";
import { follow } from "../seen-by-client.ts";

/** A cluster with many nodes, whose processes can be measured. */
export interface MeasuredCluster extends AsyncDisposable {
  readonly client: Client;
  readonly nodeNames: readonly string[];
  /**
   * Processor time and memory of each process so far, by name; on another host's cluster, only of
   * the hollow nodes' process.
   */
  usage(): Promise<ReadonlyMap<string, ProcessUse>>;
}

/** A cluster with hollow nodes, on this host or from a kubeconfig. */
export interface HollowTarget extends MeasuredCluster {
  /** The time from the start of the process until all nodes were Ready. */
  readonly readyMs: number;
  /** Sets the power of nodes by their annotation; null runs them. */
  setPower(names: readonly string[], power: "off" | "paused" | null): Promise<void>;
}

interface ProcessUse {
  readonly rssMb: number;
  readonly cpuSeconds: number;
}

/** A loaded machine needs a minute for a thousand nodes. */
const readyPatienceMs = 240_000;

const selector = `${hollowLabel}=true`;

/**
 * @param kubeconfig of an existing cluster; if undefined, a cluster of this host is made and
 * removed.
 */
export async function openHollowTarget(
  count: number,
  kubeconfig: string | undefined,
  { profile = "default", flags = [] }: { profile?: ProfileName; flags?: readonly string[] } = {},
): Promise<HollowTarget> {
  const args = ["--nodes", String(count), "--profile", profile, ...flags];
  if (kubeconfig !== undefined)
    return addNodes(kubeconfig, count, { args, pids: async () => new Map(), close: removeHollowNodes });
  const cluster = await openControlPlane(profile);
  try {
    return await addNodes(cluster.known.paths.adminKubeconfig, count, {
      args,
      pids: () => controlPlanePids(cluster),
      close: async () => {
        await cluster[Symbol.asyncDispose]();
      },
    });
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * A cluster whose one real node is unschedulable, because it would start pods on the processors
 * that are measured.
 */
export async function openControlPlane(profile: ProfileName): Promise<BenchCluster> {
  const name = `bench-hollow-${process.pid}`;
  await bringUp(name, ["--nodes", "1", "--profile", profile, "--no-egress"]);
  const cluster = await openBenchCluster(name);
  const body = { spec: { unschedulable: true } };
  for (const { name: node } of cluster.known.spec.nodes)
    await cluster.client.patch(nodes, { namespace: "", name: node }, { type: "merge", body });
  return cluster;
}

/** The processes of the control plane, by their names. */
export async function controlPlanePids(cluster: BenchCluster): Promise<ReadonlyMap<string, number>> {
  const { components } = await cluster.status();
  // The programs of a node have its name after an "@".
  return new Map(components.flatMap(({ id, pid }) => (pid === undefined || id.includes("@") ? [] : [[id, pid]])));
}

/** Processor time and memory of each of these processes so far. */
export async function usageOf(pids: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, ProcessUse>> {
  return new Map(await Promise.all([...pids].map(async ([id, pid]) => [id, await processUsage(pid)] as const)));
}

interface Surroundings {
  /** Flags of the hollow nodes. */
  args: readonly string[];
  pids(): Promise<ReadonlyMap<string, number>>;
  /** Called when the process of the hollow nodes has ended. */
  close(client: Client): Promise<void>;
}

async function addNodes(kubeconfig: string, count: number, around: Surroundings): Promise<HollowTarget> {
  const client = createHttpClient(
    { clock: systemClock, random: systemRandom },
    { ...loadKubeconfig(kubeconfig), userAgent: "kintsugi-bench" },
  );
  const startedMs = performance.now();
  const program = join(repository, "apps/hollow/bundle/main.mjs");
  const args = [program, "--kubeconfig", kubeconfig, "--zones", "3", "--log-level", "error", ...around.args];
  const child = endWithThis(spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] }));
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      // Hollow machines have nothing to save, and thousands of kubelets take long to stop.
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await around.close(client);
    await client.close();
  };
  try {
    const nodeNames = await whenReady(client, count);
    return {
      client,
      nodeNames,
      readyMs: performance.now() - startedMs,
      usage: async () => usageOf(new Map([...(await around.pids()), ["hollow", child.pid ?? 0] as const])),
      setPower: (names, power) =>
        eachOf(names, (name) =>
          client.patch(
            nodes,
            { namespace: "", name },
            { type: "merge", body: { metadata: { annotations: { "kintsugi.dev/power": power } } } },
          ),
        ),
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A cluster of this bench is removed with its nodes; an existing cluster loses only the nodes. */
async function removeHollowNodes(client: Client): Promise<void> {
  const { items } = await client.list(nodes, { labelSelector: selector });
  await eachOf(items, ({ metadata }) => client.delete(nodes, { namespace: "", name: metadata.name ?? "" }));
}

/**
 * Resolves with the names of the nodes once `count` of them are Ready. A watch observes the nodes,
 * because lists of thousands of nodes twice a second would slow the start down.
 */
async function whenReady(client: Client, count: number): Promise<string[]> {
  const following = new AbortController();
  const ready = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  try {
    const informer = await follow(client, { type: nodes, labelSelector: selector }, following.signal);
    await new Promise<void>((resolve, reject) => {
      const because = () => `of ${count} hollow nodes ${ready.size} were Ready within ${readyPatienceMs / 1000} s`;
      timer = setTimeout(() => reject(new Error(because())), readyPatienceMs);
      informer.onChange(({ type, object }) => {
        if (type !== "deleted" && acceptsPods(object)) ready.add(object.metadata.name ?? "");
        else ready.delete(object.metadata.name ?? "");
        if (ready.size === count) resolve();
      });
    });
    return [...ready].toSorted();
  } finally {
    clearTimeout(timer);
    following.abort();
  }
}

function acceptsPods({ spec, status }: Node): boolean {
  return isConditionTrue(status?.conditions, "Ready") && (spec?.taints ?? []).length === 0;
}
