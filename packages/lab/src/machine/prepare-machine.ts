import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { runCommand } from "@kintsugi/daemon";

/**
 * Prepares the kernel for a node on the machine, or in the container, that this process has to
 * itself.
 *
 * The nodes' network contains the pods' ranges too: 10.64.0.0/16 with nodes in 10.64.0.0/24 and the
 * pods of the first node in 10.64.1.0/24. Every machine on the nodes' network, including the host,
 * looks up a pod's address by ARP, and the pod's node responds. Routing tables are therefore not
 * needed, and pods reach the world through the host as containers do.
 */
export async function prepareMachine(nodeIp: string): Promise<void> {
  const link = linkOf(nodeIp);
  await setKernel("net/ipv4/ip_forward", "1");
  await setKernel(`net/ipv4/conf/${link}/proxy_arp`, "1");
  // The kernel delays such responses by up to 0.8 s by default.
  await setKernel(`net/ipv4/neigh/${link}/proxy_delay`, "0");
  // The kubelet's mounts must be visible in containers that started before, as on a booted machine.
  await runCommand("mount", ["--make-rshared", "/"]);
  await leaveRootCgroup();
}

/** @throws Error when no interface has the address. */
function linkOf(address: string): string {
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    if (addresses?.some((each) => each.address === address)) return name;
  }
  throw new Error(`no network interface has the address ${address}: --node-ip must be an address of this machine`);
}

async function setKernel(key: string, value: string): Promise<void> {
  await writeFile(join("/proc/sys", key), value);
}

/**
 * A group on cgroup v2 whose children have controllers may not contain processes, but a container's
 * processes start in its root.
 */
async function leaveRootCgroup(): Promise<void> {
  const root = "/sys/fs/cgroup";
  if (!existsSync(join(root, "cgroup.controllers"))) return;
  const leaf = join(root, "init");
  await mkdir(leaf, { recursive: true });
  for (const pid of (await readFile(join(root, "cgroup.procs"), "utf8")).split("\n").filter((line) => line !== "")) {
    // A process that has just ended need not be moved.
    await appendFile(join(leaf, "cgroup.procs"), pid).catch(() => {});
  }
}
