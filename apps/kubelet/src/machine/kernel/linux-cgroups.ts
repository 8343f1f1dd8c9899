import { mkdir, readdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cgroupHierarchies, cgroupMount, cgroupVersion, readText } from "./cgroup-files.ts";
import { type CgroupSetting, cgroupSettings, isLower } from "./cgroup-settings.ts";
import { CgroupError, type CgroupLimits, type Cgroups } from "./cgroups.ts";

/** The kernel's cgroups, through its files. */
export const linuxCgroups: Cgroups = {
  apply: (cgroup, limits) => write(cgroup, limits),
  raise: (cgroup, limits) => write(cgroup, limits, (setting, now) => !isLower(setting, now)),
  removePod: removePodCgroups,
};

async function write(
  cgroup: string,
  limits: CgroupLimits,
  isWanted?: (setting: CgroupSetting, now: string) => boolean,
): Promise<void> {
  const version = await cgroupVersion();
  if (version === 2) await handDownControllers(cgroup);
  for (const setting of cgroupSettings(limits, version)) {
    const directory = version === 2 ? join(cgroupMount, cgroup) : join(cgroupMount, setting.controller, cgroup);
    const path = join(directory, setting.file);
    try {
      const made = await mkdir(directory, { recursive: true });
      // A new group has no content that must be preserved.
      const now = made === undefined || isWanted ? await readText(path) : "";
      if (now.trim() !== setting.value && (isWanted?.(setting, now) ?? true)) await writeFile(path, setting.value);
    } catch (error) {
      throw new CgroupError(`failed to set ${setting.value} to ${path}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/**
 * A parent in version 2 has to enable its controllers for its children. A parent with its own
 * processes cannot do this.
 */
async function handDownControllers(cgroup: string): Promise<void> {
  let directory = cgroupMount;
  for (const part of ["", ...cgroup.split("/").filter(Boolean).slice(0, -1)]) {
    directory = join(directory, part);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "cgroup.subtree_control"), "+cpu +memory +pids").catch(() => {});
  }
}

/**
 * The runtime creates further cgroups between the pod's and the containers' and does not remove
 * them. The kubelet removes them with the pod.
 */
async function removePodCgroups(podsCgroup: string, uid: string): Promise<void> {
  for (const hierarchy of await cgroupHierarchies()) {
    for (const qos of ["", "burstable", "besteffort"]) await removeEmpty(join(hierarchy, podsCgroup, qos, `pod${uid}`));
  }
}

/** A cgroup that still has processes remains until its owner has ended. */
async function removeEmpty(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(path, entry.name));
  await rmdir(path).catch(() => {});
}
