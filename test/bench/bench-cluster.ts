import { readFile } from "node:fs/promises";
import { type Client, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createControlClient, findCluster, type KnownCluster, type SupervisorStatus } from "@kintsugi/lab";
import { kintsugi } from "../support/lab-cluster.ts";

/** The kubeconfig of measured clusters, so that the user's own is not touched. */
export const benchKubeconfig = `/tmp/kintsugi-bench-${process.pid}.kubeconfig`;

/** A cluster that was brought up to be measured. */
export interface BenchCluster extends AsyncDisposable {
  readonly known: KnownCluster;
  readonly client: Client;
  status(): Promise<SupervisorStatus>;
  kintsugi(...args: string[]): Promise<void>;
}

/**
 * Starts `kintsugi up` and returns a promise of its process's end; the cluster may be inspected in
 * the meantime.
 */
export function bringUp(name: string, args: readonly string[]): Promise<void> {
  return checked(["up", "--name", name, "--kubeconfig", benchKubeconfig, ...args]);
}

/** The cluster once `up` has printed it. */
export async function openBenchCluster(name: string): Promise<BenchCluster> {
  const known = await findCluster(name);
  if (!known) throw new Error(`cluster ${name} is not there`);
  const client = createHttpClient(
    { clock: systemClock, random: systemRandom },
    { ...loadKubeconfig(known.paths.adminKubeconfig), userAgent: "kintsugi-bench" },
  );
  const control = createControlClient(known.paths.supervisorSocket);
  return {
    known,
    client,
    async status() {
      const status = await control.status();
      if (!status) throw new Error(`the supervisor of ${name} does not answer`);
      return status;
    },
    kintsugi: (...more) => checked([...more, "--name", name]),
    async [Symbol.asyncDispose]() {
      await client.close();
      await takeDown(name);
    },
  };
}

export function takeDown(name: string): Promise<void> {
  return checked(["down", "--name", name, "--kubeconfig", benchKubeconfig]);
}

async function checked(args: readonly string[]): Promise<void> {
  const result = await kintsugi(args);
  if (result.code !== 0) throw new Error(`kintsugi ${args.join(" ")} ended with ${result.code}: ${result.stderr}`);
}

/** Proportional memory and processor time of a process, as the kernel accounts for them. */
export async function processUsage(pid: number): Promise<{ rssMb: number; cpuSeconds: number }> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8"),
  ]);
  const rssKb = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Fields 14 and 15 of proc(5), in ticks of 10 ms.
  return { rssMb: rssKb / 1024, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100 };
}
