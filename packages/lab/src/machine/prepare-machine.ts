import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { runCommand } from "../host/run-command.ts";

/**
 * Prepares the kernel's side of a node on the machine, or container, that this process is alone on.
 *
 * The nodes' network holds the pods' ranges too: 10.64.0.0/16 with nodes in 10.64.0.0/24 and the
 * pods of the first in 10.64.1.0/24. So every machine on it, the host included, looks up a pod's
 * address by ARP, and the pod's node answers: no table of routes has to be kept, and pods leave
 * through the host as containers do.
 */
export async function prepareMachine(nodeIp: string): Promise<void> {
  const link = linkOf(nodeIp);
  await setKernel("net/ipv4/ip_forward", "1");
  await setKernel(`net/ipv4/conf/${link}/proxy_arp`, "1");
  // The kernel holds such answers back for up to 0.8 s by default.
  await setKernel(`net/ipv4/neigh/${link}/proxy_delay`, "0");
  // The kubelet's mounts have to be seen in containers that started before, as on a machine that
  // booted.
  await runCommand("mount", ["--make-rshared", "/"]);
  await leaveRootCgroup();
}

/** @throws Error when no interface has the address. */
function linkOf(address: string): string {
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    if (addresses?.some((each) => each.address === address)) return name;
  }
  throw new Error(`no network interface has the address ${address}: --node-ip must be one of this machine`);
}

async function setKernel(key: string, value: string): Promise<void> {
  await writeFile(join("/proc/sys", key), value);
}

/**
 * A group on cgroup v2 whose children have controllers may hold no process: those of a container
 * start in its root.
 */
async function leaveRootCgroup(): Promise<void> {
  const root = "/sys/fs/cgroup";
  if (!existsSync(join(root, "cgroup.controllers"))) return;
  const leaf = join(root, "init");
  await mkdir(leaf, { recursive: true });
  for (const pid of (await readFile(join(root, "cgroup.procs"), "utf8")).split("\n").filter((line) => line !== "")) {
    // A process that has just ended needs no place.
    await appendFile(join(leaf, "cgroup.procs"), pid).catch(() => {});
  }
}
