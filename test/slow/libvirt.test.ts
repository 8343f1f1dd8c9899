import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node } from "@kintsugi/api";
import { createLibvirtCloud, virshAt } from "@kintsugi/cloud";
import { describeMachinesContract } from "@kintsugi/cloud/testing/contract";
import { findProgram } from "@kintsugi/daemon";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, repository, startLabCluster } from "../support/lab-cluster.ts";
import { endWithThis, eventually, mustRun } from "../support/run-program.ts";
import { withTimeline } from "../support/observe/with-timeline.ts";
import { PrivateLibvirt } from "../vagrant/private-libvirt.ts";

// A separate libvirt as the cloud: the contract, with its driver of test machines and with machines
// that qemu emulates, and a cluster whose nodes follow their domains.

const absent = ["virsh", "libvirtd", "qemu-system-x86_64"].filter(
  (name) => findProgram(name, process.env["PATH"] ?? "") === undefined,
);
const lacking =
  whyNoKubectlCluster() ??
  (absent.length === 0
    ? undefined
    : `there is no ${absent.join(", no ")}; on Debian: apt-get install libvirt-clients libvirt-daemon-system qemu-system-x86`);

const qemu = "qemu:///system";
/**
 * The driver of test machines, inside of libvirtd, so that one virsh sees the changes of another.
 */
const testDriver = "test+unix:///default";
const callTimeoutMs = 60_000;
const metadataNamespace = "http://kintsugi.dev/libvirt/1.0";

/**
 * The domain does not have a disk, so its firmware searches for a disk as long as the domain is on.
 */
const domainXml = (name: string) => `<domain type="qemu">
  <name>${name}</name><memory unit="MiB">16</memory><vcpu>1</vcpu>
  <os><type arch="x86_64">hvm</type></os>
</domain>`;

describe.skipIf(sayWhyNot("libvirt as a cloud", lacking))("libvirt", () => {
  let directory: string;
  let libvirt: PrivateLibvirt;
  let program: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "kintsugi-libvirt-"));
    libvirt = await PrivateLibvirt.start(directory, join(directory, "lines.log"));
    program = await libvirt.programIn(directory);
  });
  afterAll(async () => {
    await libvirt?.[Symbol.asyncDispose]();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  const virsh = (...args: string[]) => mustRun(program, ["--quiet", "--connect", qemu, ...args]);
  const cloudAt = (uri: string, domainPrefix = "") =>
    createLibvirtCloud(virshAt({ uri, program, environment: process.env, callTimeoutMs }), { domainPrefix });
  async function define(name: string, metadata?: string): Promise<void> {
    const file = join(directory, "domain.xml");
    await writeFile(file, domainXml(name));
    await virsh("define", file);
    await virsh("start", "--domain", name);
    if (metadata === undefined) return;
    const set = ["--uri", metadataNamespace, "--key", "kintsugi", "--set", metadata];
    await virsh("metadata", "--domain", name, "--live", "--config", ...set);
  }
  async function undefineAll(): Promise<void> {
    for (const name of (await virsh("list", "--all", "--name")).split("\n").filter((each) => each !== "")) {
      await virsh("destroy", "--domain", name).catch(() => {});
      await virsh("undefine", "--domain", name, "--managed-save");
    }
  }

  describeMachinesContract("the test driver of libvirt", async () => {
    // The driver forgets its machines when the last connection ends.
    const holder = endWithThis(spawn(program, ["--connect", testDriver], { stdio: ["pipe", "ignore", "ignore"] }));
    const cloud = cloudAt(testDriver);
    await eventually("it has a machine", async () => (await cloud.findInstance({ name: "test" })).instance);
    const ended = new Promise((resolve) => holder.once("exit", resolve));
    return {
      cloud,
      machine: "test",
      close: async () => {
        holder.stdin.end();
        await ended;
      },
    };
  });

  describeMachinesContract("a libvirt whose machines qemu emulates", async () => {
    for (const name of ["node-1", "node-2"]) await define(name);
    return { cloud: cloudAt(qemu), machine: "node-1", close: undefineAll };
  });

  test("domains with unusual names, saved domains and domains with metadata are recognized", async () => {
    const odd = ["--help", "a b", "$(touch x)", "-c"];
    for (const name of odd) {
      await writeFile(join(directory, "domain.xml"), domainXml(name));
      await virsh("define", join(directory, "domain.xml"));
    }
    await define("lab_node-1", `<machine zone="rack-1" type="small" address="10.200.0.11"/>`);
    await define("lab_node-2");
    await virsh("managedsave", "lab_node-2");
    const cloud = cloudAt(qemu, "lab_");
    const { instances } = await cloud.listInstances({});
    expect(instances.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      {
        name: "node-1",
        zone: "rack-1",
        instanceType: "small",
        state: "running",
        addresses: [{ address: "10.200.0.11" }, { type: "Hostname" }],
      },
      { name: "node-2", zone: "libvirt", state: "running" },
    ]);
    await cloud.actOnInstance({ name: "node-2", action: "stop" });
    expect((await cloud.findInstance({ name: "node-2" })).instance?.state).toBe("stopped");
    // A cloud without a prefix does not list these domains either, and they do not affect other
    // machines.
    const names = (await cloudAt(qemu).listInstances({})).instances.map(({ name }) => name);
    expect(names).toEqual([]);
    await undefineAll();
  });

  test("a libvirt that is down, or disconnected in the middle, is unavailable", async () => {
    const away = cloudAt("qemu+unix:///system?socket=/nowhere/libvirt-sock");
    await expect(away.findInstance({ name: "node-1" })).rejects.toMatchObject({
      code: "Unavailable",
      message: expect.stringContaining("Failed to connect socket to '/nowhere/libvirt-sock'"),
    });
    const hurried = createLibvirtCloud(virshAt({ uri: qemu, program, environment: process.env, callTimeoutMs: 1 }), {
      domainPrefix: "",
    });
    await expect(hurried.findInstance({ name: "node-1" })).rejects.toMatchObject({ code: "Unavailable" });
  });

  test("a node is tainted when its domain is shut off, and removed when its domain is undefined", async () => {
    await using cluster = await startLabCluster({ name: "libvirt", nodes: 2 });
    await withTimeline(cluster, async () => {
      for (const node of ["node-1", "node-2"]) await define(`lab_${node}`);
      await using _controllers = await startControllers(cluster, directory);
      const { instance } = await cloudAt(qemu, "lab_").findInstance({ name: "node-2" });
      expect(instance?.addresses[0]?.address).toBe(await cluster.nodeAddress("node-2"));
      const node = () => cluster.get<Node>("node", "node-2");
      const shutdown = async () =>
        (await node()).spec?.taints?.some(({ key }) => key === "node.cloudprovider.kubernetes.io/shutdown");
      const isReady = async () =>
        (await node()).status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");

      await cluster.kintsugi("node", "kill", "node-2");
      await eventually("it is not ready", async () => (await isReady()) === false, 60_000);
      // libvirt reports its machine as on.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      expect(await shutdown()).not.toBe(true);
      await virsh("destroy", "lab_node-2");
      await eventually("it is known to be shut off", shutdown, 60_000);
      await virsh("start", "lab_node-2");
      await cluster.kintsugi("node", "return", "node-2");
      await eventually("it is back", async () => (await isReady()) === true && (await shutdown()) !== true, 60_000);

      await cluster.kintsugi("node", "kill", "node-2");
      await cloudAt(qemu, "lab_").actOnInstance({ name: "node-2", action: "terminate" });
      await eventually(
        "its Node goes",
        async () => (await cluster.kubectl("get", "nodes", "-o", "name")).trim() === "node/node-1",
        60_000,
      );
      const events = await cluster.kubectl("get", "events", "-o", "custom-columns=R:.reason", "--no-headers");
      expect(events).toContain("DeletingNode");
    });
    await undefineAll();
  });
});

/** The cloud controller manager as users of the Vagrant lab start it, with this libvirt. */
async function startControllers(cluster: LabCluster, directory: string): Promise<AsyncDisposable> {
  const address = await cluster.nodeAddress("node-1");
  const options = ["--node-monitor-period=1s", `--secure-port=${await freePort()}`];
  const child = spawn(join(repository, "deploy/vagrant/cloud.sh"), options, {
    env: {
      ...process.env,
      PATH: `${directory}:${process.env["PATH"]}`,
      KUBECONFIG: cluster.kubeconfig,
      KINTSUGI_DOMAIN_PREFIX: "lab_",
      KINTSUGI_NETWORK: address.split(".").slice(0, 2).join("."),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  endWithThis(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await cluster.kubectl("wait", "--for=create", "lease/cloud-controller-manager", "-n", "kube-system", "--timeout=60s");
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
