/**
 * The cgroups of this node's pods; a path is one in every hierarchy, such as
 * "/kintsugi/lab/node-1/kubepods/burstable".
 */
export interface Cgroups {
  /** Makes the cgroup where it is missing, and bounds it so. @throws CgroupError */
  apply(cgroup: string, limits: CgroupLimits): Promise<void>;
  /**
   * As `apply`, but lowers nothing: what is below may have to be lowered before. @throws
   * CgroupError
   */
  raise(cgroup: string, limits: CgroupLimits): Promise<void>;
  /** Removes what a pod left below the parent of all pods. */
  removePod(podsCgroup: string, uid: string): Promise<void>;
}

/** The kernel has refused; the message names the file. */
export class CgroupError extends Error {
  override readonly name = "CgroupError";
}

/** What a cgroup may use; what is absent stays as it is. */
export interface CgroupLimits {
  /** Its weight beside its siblings, 1024 for a core. */
  cpuShares?: number;
  /** Of every 100 ms. */
  cpuQuotaUs?: number;
  memoryBytes?: number;
  pidsMax?: number;
}

/** The parent of all pods' cgroups. */
export function podsCgroupBelow(cgroupRoot: string): string {
  return `${cgroupRoot.replace(/\/$/, "")}/kubepods`;
}
