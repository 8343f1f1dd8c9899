/**
 * The cgroups of this node's pods. A path is valid in every hierarchy, such as
 * "/kintsugi/lab/node-1/kubepods/burstable".
 */
export interface Cgroups {
  /** Creates the cgroup where it is missing, and sets its limits. @throws CgroupError */
  apply(cgroup: string, limits: CgroupLimits): Promise<void>;
  /**
   * Like `apply`, but does not lower limits, because the groups below may have to be lowered first.
   * @throws CgroupError
   */
  raise(cgroup: string, limits: CgroupLimits): Promise<void>;
  /** Removes a pod's remaining cgroups below the parent of all pods. */
  removePod(podsCgroup: string, uid: string): Promise<void>;
}

/** The kernel has rejected the write; the message names the file. */
export class CgroupError extends Error {
  override readonly name = "CgroupError";
}

/** The limits of a cgroup; an absent limit is unchanged. */
export interface CgroupLimits {
  /** The weight of the cgroup relative to its siblings, 1024 for a core. */
  cpuShares?: number;
  /** The quota for every 100 ms. */
  cpuQuotaUs?: number;
  memoryBytes?: number;
  pidsMax?: number;
}

/** The parent of all pods' cgroups. */
export function podsCgroupBelow(cgroupRoot: string): string {
  return `${cgroupRoot.replace(/\/$/, "")}/kubepods`;
}
