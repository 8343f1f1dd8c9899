import { type KubernetesObject, repository } from "../support/lab-cluster.ts";
import type { Report } from "./report.ts";
import type { VagrantLab } from "./vagrant-lab.ts";

const server = "https://10.200.0.10:6443";

export async function saveSnapshot(lab: VagrantLab, report: Report): Promise<void> {
  await lab.documented("npx kintsugi snapshot save lab.snapshot --kubeconfig kubeconfig");
  const status = await lab.documented("npx kintsugi snapshot status lab.snapshot");
  if (!/\bpods\b/.test(status)) throw new Error(`the snapshot holds no pods: ${status}`);
  report.note("the whole cluster is saved to a file, and the file is verified");
}

/** A newer archive, loaded into every machine again. */
export async function upgrade(lab: VagrantLab, report: Report): Promise<void> {
  const before = await placesOf(lab);
  const running = await lab.running("node-1");
  const installed = await lab.on("node-1", "stat -c %i /opt/kintsugi");
  await lab.documented("npm run bundle && ../provision/pack.sh kintsugi.tar.gz");
  await lab.documented("vagrant provision");
  await awaitTheSame(lab, before, running);
  if ((await lab.on("node-1", "stat -c %i /opt/kintsugi")) === installed) throw new Error("nothing new was installed");
  report.note(
    "a newer archive was installed on every machine: the programs are replaced, and containers were not restarted",
  );
}

/**
 * Runs the steps of deploy/README.md for machines that were not made with Vagrant, on the existing
 * machines.
 */
export async function provisionAgain(lab: VagrantLab, report: Report): Promise<void> {
  const before = await placesOf(lab);
  const running = await lab.running("node-1");
  await lab.documented("npm run bundle && deploy/provision/pack.sh kintsugi.tar.gz", repository);
  await lab.documentedOn("control", "kintsugi init 10.200.0.10");
  await lab.documentedOn("control", "kintsugi/provision/control-plane.sh 10.200.0.10");
  const create = "kintsugi token create --print-join-command --kubeconfig /etc/kintsugi/admin.kubeconfig";
  const words = (await lab.documentedOn("control", create)).split(" ");
  const signature = `jws-kubeconfig-${words[4]?.split(".")[0]}`;
  await lab.until("cluster-info is signed with the token", async () => {
    return (await lab.kubectl("get", "configmap", "cluster-info", "-n", "kube-public", "-o", "yaml")).includes(
      signature,
    );
  });
  const meant = [words[4] ?? "", words[6] ?? ""];
  await lab.documentedOn("node-1", `kintsugi join ${server} --token …`, meant);
  await lab.documentedOn("node-1", `kintsugi/provision/node.sh ${server} --token …`, meant);
  await lab.documentedOn("node-1", "systemctl status kintsugi-containerd kintsugi-kubelet");
  await lab.on("control", "systemd-analyze security --threshold=20 kintsugi-api-server");
  await lab.on("node-1", "systemctl restart kintsugi-kubelet kintsugi-containerd");
  await awaitTheSame(lab, before, running);
  report.note("the scripts were run again, and kubelet and containerd restarted: containers were not restarted");
}

async function awaitTheSame(lab: VagrantLab, pods: readonly string[], running: readonly string[]): Promise<void> {
  await lab.until("both nodes are Ready and six pods serve", async () => {
    return (await lab.readyNodes()).length === 2 && (await lab.serving()).length === 6;
  });
  const now = await placesOf(lab);
  if (now.join() !== pods.join()) throw new Error(`the pods differ: ${pods.join()} before, ${now.join()} now`);
  const still = await lab.running("node-1");
  const ended = running.filter((id) => !still.includes(id));
  if (ended.length > 0)
    throw new Error(`of ${running.length} containers and sandboxes, these run no more: ${ended.join()}`);
}

export async function playDemo(lab: VagrantLab, report: Report): Promise<void> {
  await lab.documented("kubectl --kubeconfig kubeconfig delete -f ../../demo/web.yaml");
  await lab.until("the web servers are gone", async () => (await lab.webPods()).length === 0);
  const told = await lab.documented("npm run demo -- --on vagrant");
  const table = told.slice(told.indexOf("PHASE"));
  if (table.includes("not seen") || !told.includes("PHASE")) throw new Error(`the demo missed a phase: ${told}`);
  report.addDemo(table.trim());
  await lab.until("its web servers are gone", async () => (await lab.webPods()).length === 0);
  report.note("the demo was run on the lab: every phase was observed");
}

/**
 * A node starts each of its pods again in its place after a reboot, with and without its kubelet's
 * state.
 */
export async function rebootNode(lab: VagrantLab, report: Report): Promise<void> {
  await lab.kubectl("apply", "-f", "../../demo/web.yaml");
  await lab.until("six pods serve", async () => (await lab.serving()).length === 6);
  const before = await placesOf(lab);
  await lab.documented("vagrant reload node-1");
  await awaitRestarts(lab, before, 1);
  report.note("node-1 was rebooted: its pods serve on the same node, and each pod restarted exactly once");
  await lab.on("node-1", "systemctl stop kintsugi-kubelet\nrm -rf /var/lib/kintsugi/kubelet");
  await lab.sh("vagrant reload node-1");
  await awaitRestarts(lab, before, 2);
  report.note("node-1 was rebooted without its kubelet's state, with the same result");
}

async function awaitRestarts(lab: VagrantLab, before: readonly string[], restarts: number): Promise<void> {
  const rebooted = async () => (await lab.serving()).filter(({ spec }) => spec.nodeName === "node-1");
  await lab.until(`six pods serve after ${restarts} reboots`, async () => {
    const enough = (await rebooted()).every((pod) => restartsOf(pod) >= restarts);
    return enough && (await lab.serving()).length === 6;
  });
  const now = await placesOf(lab);
  if (now.join() !== before.join()) throw new Error(`the pods differ: ${before.join()} before, ${now.join()} now`);
  const pods = await rebooted();
  const often = pods.filter((pod) => restartsOf(pod) !== restarts);
  if (often.length > 0)
    throw new Error(often.map((pod) => `${pod.metadata.name} restarted ${restartsOf(pod)} times`).join(", "));
  // Each pod has a container, and its sandbox.
  const running = await lab.running("node-1");
  if (pods.length === 0 || running.length !== 2 * pods.length)
    throw new Error(`of ${pods.length} pods these run: ${running.join(", ")}`);
}

/** Lists the serving pods with their nodes. */
async function placesOf(lab: VagrantLab): Promise<string[]> {
  return (await lab.serving()).map(({ metadata, spec }) => `${metadata.uid} on ${spec.nodeName}`).sort();
}

function restartsOf({ status }: KubernetesObject): number {
  return status.containerStatuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0;
}
