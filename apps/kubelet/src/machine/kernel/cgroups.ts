/**
 * The cgroups of this node's pods; a path is one in every hierarchy, such as
 * "/kintsugi/lab/node-1/kubepods/burstable".
 */
export interface Cgroups {
  /** Makes the cgroup where it is missing, and bounds it so. @throws CgroupError */
  apply(cgroup: string, limits: CgroupLimits): Promise<void>;
  /**
   * The same as `apply`, but lowers nothing: the groups below may have to be lowered before.
   * @throws CgroupError
   */
  raise(cgroup: string, limits: CgroupLimits): Promise<void>;
  /** Removes a pod's remains below the parent of all pods. */
  removePod(podsCgroup: string, uid: string): Promise<void>;
}

/** The kernel has refused; the message names the file. */
export class CgroupError extends Error {
  override readonly name = "CgroupError";
}

/** The limits of a cgroup; an absent one stays unchanged. */
export interface CgroupLimits {
  /** Its weight beside its siblings, 1024 for a core. */
  cpuShares?: number;
  /** The quota of every 100 ms. */
  cpuQuotaUs?: number;
  memoryBytes?: number;
  pidsMax?: number;
}

/** The parent of all pods' cgroups. */
export function podsCgroupBelow(cgroupRoot: string): string {
  return `${cgroupRoot.replace(/\/$/, "")}/kubepods`;
}
