// The lab of deploy/vagrant for real, where Vagrant's providers cannot run: the scripts and units of its Vagrantfile in machines that
// qemu emulates. One control plane, two nodes, a workload; one machine loses power, the cluster heals, it comes back. Slow: half an
// hour on two cores. `npm run test:vagrant`; needs root, debootstrap, qemu-system-x86, qemu-utils, e2fsprogs, openssh-client, kubectl.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "@kintsugi/lab";
import { newestKubectl } from "../support/host-abilities.ts";
import type { KubernetesObject } from "../support/lab-cluster.ts";
import { eventually, runProgram } from "../support/run-program.ts";
import { createBridge, Machine, must, network, removeBridge } from "./machine.ts";

const repository = join(import.meta.dirname, "../..");
/** A box is built once: it takes minutes. */
const box = process.env["KINTSUGI_BOX_DIRECTORY"] ?? join(tmpdir(), "kintsugi-box");
const profile = process.env["KINTSUGI_PROFILE"] ?? "default";
const healWaitMs = 1_200_000;

const directory = mkdtempSync(join(tmpdir(), "kintsugi-vagrant-"));
const startedMs = performance.now();
const timeline: { atSeconds: number; what: string }[] = [];
const machines = ["control", "node-1", "node-2"].map(
  (name, index) => new Machine(name, 10 + index, { box, directory }),
);
const [control, ...nodes] = machines as [Machine, Machine, Machine];
const kubeconfig = join(directory, "kubeconfig");

function note(what: string): void {
  const atSeconds = Math.round((performance.now() - startedMs) / 1000);
  timeline.push({ atSeconds, what });
  console.log(`${String(atSeconds).padStart(5)} s  ${what}`);
}

async function kubectl(...args: string[]): Promise<string> {
  const program = newestKubectl();
  if (program === undefined) throw new Error("there is no kubectl; name one in KUBECTL");
  return must(program, ["--kubeconfig", kubeconfig, "--request-timeout=120s", ...args]);
}

const listOf = async (...args: string[]) =>
  (JSON.parse(await kubectl("get", ...args, "-o", "json")) as { items: KubernetesObject[] }).items;
const isReady = ({ status }: KubernetesObject) =>
  status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false;
const readyNodes = async () => (await listOf("nodes")).filter(isReady).map(({ metadata }) => metadata.name);
const serving = async () =>
  (await listOf("pods", "-l", "app=web")).filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);

async function validateVagrantfile(): Promise<void> {
  const vagrant = findProgram("vagrant", process.env["PATH"] ?? "");
  if (vagrant === undefined) return note("vagrant is not installed: the Vagrantfile is not validated");
  const copy = join(directory, "vagrantfile");
  cpSync(join(repository, "deploy/vagrant"), copy, { recursive: true });
  writeFileSync(join(copy, "kintsugi.tar.gz"), "");
  await must("env", ["-C", copy, `HOME=${directory}`, vagrant, "validate", "--ignore-provider"]);
  note("vagrant validate: the Vagrantfile is valid");
}

async function provision(): Promise<void> {
  const archive = join(directory, "kintsugi.tar.gz");
  await must(join(repository, "deploy/provision/pack.sh"), [archive]);
  await createBridge();
  for (const machine of machines) await machine.create();
  await Promise.all(machines.map((machine) => machine.start()));
  note("three machines have booted");
  for (const machine of machines) {
    await machine.upload(archive, "/tmp/kintsugi.tar.gz");
    await machine.must("tar -xzf /tmp/kintsugi.tar.gz -C /srv");
  }
  await control.must(`/srv/kintsugi/provision/control-plane.sh ${control.address} --profile ${profile}`);
  note("the control plane serves");
  writeFileSync(kubeconfig, await control.must("cat /etc/kintsugi/admin.kubeconfig"), { mode: 0o600 });
  const command = "kintsugi token create --print-join-command --kubeconfig /etc/kintsugi/admin.kubeconfig";
  const words = (await control.must(command)).split(" ").slice(2);
  for (const node of nodes) {
    const number = node.address.split(".").at(-1);
    const more = `--node-ip ${node.address} --pod-cidr ${network}.${number}.0/24 --profile ${profile}`;
    await node.must(`/srv/kintsugi/provision/node.sh ${words.join(" ")} ${more}`);
    note(`${node.name} has joined`);
  }
  await eventually("both nodes are Ready", async () => (await readyNodes()).length === 2, healWaitMs);
  note("both nodes are Ready");
}

async function killAndHeal(): Promise<void> {
  await kubectl("apply", "-f", join(repository, "demo/web.yaml"));
  await eventually("six pods serve", async () => (await serving()).length === 6, healWaitMs);
  note("six pods serve, on both nodes");
  const victim = nodes[1]!;
  await victim.kill();
  note(`${victim.name} has lost power`);
  await eventually(
    `${victim.name} is not Ready`,
    async () => (await readyNodes()).join() === nodes[0]!.name,
    healWaitMs,
  );
  note(`${victim.name} is not Ready any more`);
  await eventually(
    "six pods serve elsewhere",
    async () => {
      const pods = await serving();
      return pods.length === 6 && pods.every(({ spec }) => spec.nodeName !== victim.name);
    },
    healWaitMs,
  );
  note("six pods serve, all on the other node");
  await victim.start();
  await eventually(`${victim.name} is back`, async () => (await readyNodes()).length === 2, healWaitMs);
  note(`${victim.name} has booted, and is Ready: its units started by themselves`);
  await eventually(
    "what was left there is gone",
    async () =>
      (await listOf("pods", "-l", "app=web")).every(({ metadata }) => metadata.deletionTimestamp === undefined),
    healWaitMs,
  );
  note("what was left there is gone");
}

async function repeatProvisioning(): Promise<void> {
  const before = (await serving()).map(({ metadata }) => metadata.uid).sort();
  await nodes[0]!.must("systemctl restart kintsugi-kubelet kintsugi-containerd");
  await eventually(
    "the same pods serve",
    async () => (await readyNodes()).length === 2 && (await serving()).length === 6,
    healWaitMs,
  );
  const after = (await serving()).map(({ metadata }) => metadata.uid).sort();
  if (before.join() !== after.join()) throw new Error("restarting kubelet and containerd cost pods");
  note("kubelet and containerd were restarted: the same pods serve");
}

try {
  await validateVagrantfile();
  await must(join(import.meta.dirname, "build-box.sh"), [box], 3_600_000);
  note("the box is there");
  await provision();
  await killAndHeal();
  await repeatProvisioning();
} finally {
  for (const machine of machines) await machine.remove();
  await removeBridge();
  await runProgram("cp", ["-r", directory, join(tmpdir(), "kintsugi-vagrant-last")]);
  rmSync(directory, { recursive: true, force: true });
  note("cleaned up");
  const rows = timeline.map(({ atSeconds, what }) => `| ${atSeconds} | ${what} |`);
  writeFileSync(join(tmpdir(), "kintsugi-vagrant-timeline.md"), `| seconds | what |\n|---|---|\n${rows.join("\n")}\n`);
}
