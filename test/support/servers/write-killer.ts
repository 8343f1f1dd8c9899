import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { findCluster, identifyProcess, readIdentity } from "@kintsugi/lab";
import type { LabCluster } from "../lab-cluster.ts";
import { eventually } from "../run-program.ts";
import { type Moment, startWriteProxy, type ApiWrite } from "./write-proxy.ts";

/**
 * Kills a control-plane process at each of its writes to the API server, once for each kind of
 * write: it is restarted, reaches the same write, and completes it.
 */
export interface WriteKiller extends AsyncDisposable {
  /** Each kind of write causes one death from now on. */
  arm(moment: Moment): void;
  /** Ends the deaths. Returns the kinds of writes at which there was a death, in their order. */
  disarm(): readonly string[];
}

export interface KilledProgram {
  /** The supervisor's name of the process: "controller-manager". */
  readonly component: string;
  readonly lease: string;
}

/**
 * Excluded: the Lease, which a process renews while it does nothing else, Events, which are lost
 * with their writer by design, and the key that each process has signed for the bus when it starts.
 */
const leftOut = /\/(leases|events|buscredentials)(\/|\?|$)/;
/** More kinds of writes than a run has, which are about 40. */
const deathsMax = 100;
/** A process that ends in its first 2 s is restarted with increasing delays. */
const lifeMinMs = 2_500;

/**
 * Routes the requests of the cluster's process through a proxy of this process. Its supervisor is
 * unaffected, because the address is in the process' kubeconfig.
 */
export async function startWriteKiller(cluster: LabCluster, { component, lease }: KilledProgram): Promise<WriteKiller> {
  const known = await findCluster(cluster.name);
  if (known === undefined) throw new Error(`there is no cluster ${cluster.name}`);
  const { paths, spec } = known;
  const [serving, client] = await Promise.all([
    readIdentity(paths.pki, "api-server"),
    readIdentity(paths.pki, component),
  ]);

  let armed: Moment | undefined;
  let deaths: string[] = [];
  let dying: Promise<void> | undefined;
  let killedAtMs = 0;
  const die = async () => {
    await sleep(Math.max(0, killedAtMs + lifeMinMs - performance.now()));
    await kill(cluster, component);
    killedAtMs = performance.now();
    // The successor need not wait, because the process has certainly ended.
    await cluster.tryKubectl(["delete", "lease", lease, "--namespace", "kube-system", "--ignore-not-found"]);
  };
  const onWrite = async (write: ApiWrite, moment: Moment): Promise<boolean> => {
    if (leftOut.test(write.path)) return false;
    if (dying === undefined) {
      const kind = kindOf(write);
      if (moment !== armed || deaths.includes(kind) || deaths.length === deathsMax) return false;
      deaths.push(kind);
      dying = die().finally(() => (dying = undefined));
    }
    await dying;
    return true;
  };

  const proxy = await startWriteProxy({ upstreamPort: spec.apiPort, serving, client, onWrite });
  const file = `${paths.data}/${component}.kubeconfig`;
  const before = await readFile(file, "utf8");
  const direct = `https://127.0.0.1:${spec.apiPort}\n`;
  if (!before.includes(direct)) throw new Error(`${file} does not name ${direct}`);
  await writeFile(file, before.replace(direct, `https://127.0.0.1:${proxy.port}\n`));
  await die();
  return {
    arm(moment) {
      armed = moment;
      deaths = [];
    },
    disarm() {
      armed = undefined;
      return deaths;
    },
    async [Symbol.asyncDispose]() {
      armed = undefined;
      await dying;
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Kills a process of the cluster, and resolves when it has ended. */
export async function kill(cluster: LabCluster, component: string): Promise<void> {
  const pid = await cluster.pidOf(component);
  process.kill(pid, "SIGKILL");
  await eventually(`${component} has ended`, async () => (await identifyProcess(pid)) === undefined);
}

/**
 * Returns the write's text without the parts that differ between objects and over time: numbers,
 * UIDs and digests.
 */
function kindOf({ method, path, body }: ApiWrite): string {
  return `${method} ${path.split("?")[0]} ${body}`
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/[0-9a-f]{32,}/g, "DIGEST")
    .replaceAll(/\d+/g, "#");
}
