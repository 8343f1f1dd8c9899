// The lab of deploy/vagrant with real machines: `vagrant up` with vagrant-libvirt, in machines that
// qemu emulates, from a box that is built from Debian packages. Every command of
// deploy/vagrant/README.md, and of deploy/README.md, is run unchanged there. It takes the better
// part of an hour on two cores. `npm run test:vagrant`; needs root, kubectl, and the Debian
// packages vagrant-libvirt libvirt-daemon-system libvirt-clients dnsmasq-base qemu-system-x86
// qemu-utils debootstrap e2fsprogs openssh-client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFlags, readOrExplain } from "@kintsugi/daemon";
import { machinePackages, needPrograms } from "../support/needed-programs.ts";
import { newestKubectl } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { runProgram } from "../support/run-program.ts";
import { playDemo, provisionAgain, rebootNode, saveSnapshot, upgrade } from "./phases.ts";
import { Report } from "./report.ts";
import { VagrantLab } from "./vagrant-lab.ts";

/** A box is built once, because that takes minutes. */
const box = process.env["KINTSUGI_BOX_DIRECTORY"] ?? "/var/tmp/kintsugi-vagrant-box";

async function bringUp(lab: VagrantLab, report: Report): Promise<void> {
  await lab.documented("npm run bundle && deploy/provision/pack.sh deploy/vagrant/kintsugi.tar.gz", repository);
  await lab.documented("vagrant validate");
  report.note("the archive is packed, `vagrant validate` passes");
  await Promise.all([lab.documented("vagrant up"), watchNodes(lab, report)]);
  await lab.learnAddresses();
  await lab.documented("kubectl --kubeconfig kubeconfig get nodes");
  report.note("`vagrant up` has ended: both nodes are Ready");
}

async function watchNodes(lab: VagrantLab, report: Report): Promise<void> {
  await lab.until("the control plane serves", async () => lab.isServed() && (await lab.readyNodes()).length === 0);
  report.note("the control plane serves");
  await lab.until("a node is Ready", async () => (await lab.readyNodes()).length >= 1);
  report.note("node-1 has joined, and is Ready");
  await lab.until("both nodes are Ready", async () => (await lab.readyNodes()).length === 2);
}

async function killAndHeal(lab: VagrantLab, report: Report): Promise<void> {
  await lab.documented("kubectl --kubeconfig kubeconfig apply -f ../../demo/web.yaml");
  await lab.until("six pods serve", async () => (await lab.serving()).length === 6);
  const nodes = new Set((await lab.serving()).map(({ spec }) => spec.nodeName));
  if (nodes.size !== 2) throw new Error("six pods are all on one of two nodes");
  report.note("six pods serve, on both nodes");
  await lab.documented("vagrant halt --force node-2");
  report.note("node-2 has lost power");
  await lab.until("node-2 is not Ready", async () => (await lab.readyNodes()).join() === "node-1");
  report.note("node-2 is no longer Ready");
  await lab.until("six pods serve elsewhere", async () => {
    const pods = await lab.serving();
    return pods.length === 6 && pods.every(({ spec }) => spec.nodeName === "node-1");
  });
  report.note("six pods serve, all on node-1");
  await lab.documented("kubectl --kubeconfig kubeconfig get nodes,pods -o wide");
  await lab.documented("vagrant up node-2");
  await lab.until("node-2 is back", async () => (await lab.readyNodes()).length === 2);
  report.note("node-2 has booted, and is Ready: its units started by themselves");
  await lab.until("what was left there is gone", async () => {
    const ending = (await lab.webPods()).some(({ metadata }) => metadata.deletionTimestamp !== undefined);
    return !ending && (await lab.running("node-2")).length === 0;
  });
  report.note("its remaining pods and containers have been removed");
}

const program = {
  name: "npm run test:vagrant --",
  description: "Runs every command of deploy/vagrant/README.md, in machines that qemu emulates.",
};

async function main(): Promise<void> {
  readOrExplain("test:vagrant", () => readFlags(program, {}, process.argv.slice(2)));
  needPrograms("test:vagrant", {
    vagrant: "vagrant-libvirt",
    libvirtd: "libvirt-daemon-system",
    virsh: "libvirt-clients",
    dnsmasq: "dnsmasq-base",
    ...machinePackages,
  });
  if (newestKubectl() === undefined) throw new Error("there is no kubectl; name one in KUBECTL");
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-vagrant-"));
  const log = join(tmpdir(), "kintsugi-vagrant.log");
  rmSync(log, { force: true });
  const report = new Report();
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      report.note(`stopped by ${signal}`);
      report.publish();
      // The namespaces of the machines end with this process.
      process.exit(1);
    });
  try {
    const built = await runProgram(join(import.meta.dirname, "build-box.sh"), [box], { timeoutMs: 3_600_000 });
    if (built.code !== 0) throw new Error(`the box cannot be built: ${built.stderr}`);
    report.note("the box exists");
    await using lab = await VagrantLab.open({ directory, box, log });
    await bringUp(lab, report);
    await killAndHeal(lab, report);
    await saveSnapshot(lab, report);
    await upgrade(lab, report);
    await provisionAgain(lab, report);
    await playDemo(lab, report);
    await rebootNode(lab, report);
    await lab.documented("vagrant destroy --force");
    const left = await lab.leftovers();
    if (left.length > 0) throw new Error(`destroyed, the lab left ${left.join(", ")}`);
    if (lab.undone().length > 0) throw new Error(`no test has run ${lab.undone().join("\n")}`);
    report.note("the machines are destroyed: machines, disks and interfaces have been removed");
    report.publish();
  } catch (error) {
    report.note(`failed: ${(error as Error).message.split("\n")[0]}`);
    report.publish();
    console.error(`everything that was run, and what it said, is in ${log}`);
    throw error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
