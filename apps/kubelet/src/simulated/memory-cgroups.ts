import type { CgroupLimits } from "../machine/kernel/cgroups.ts";
import { CgroupError, type Cgroups } from "../machine/kernel/cgroups.ts";

/** Cgroups that are only recorded, with every limit in the order in which it was set. */
export class MemoryCgroups implements Cgroups {
  readonly groups = new Map<string, CgroupLimits>();
  readonly history: [cgroup: string, limits: CgroupLimits][] = [];
  /** Each cgroup whose path matches is rejected while this is set. */
  refuses: RegExp | undefined;

  apply(cgroup: string, limits: CgroupLimits): Promise<void> {
    if (this.refuses?.test(cgroup))
      return Promise.reject(new CgroupError(`failed to set ${cgroup}: device or resource busy`));
    this.history.push([cgroup, limits]);
    this.groups.set(cgroup, { ...this.groups.get(cgroup), ...limits });
    return Promise.resolve();
  }

  raise(cgroup: string, limits: CgroupLimits): Promise<void> {
    const now = this.groups.get(cgroup) ?? {};
    const keys = Object.keys(limits) as (keyof CgroupLimits)[];
    const raised = keys.filter((key) => (limits[key] ?? Infinity) >= (now[key] ?? Infinity));
    return this.apply(cgroup, Object.fromEntries(raised.map((key) => [key, limits[key]])));
  }

  removePod(podsCgroup: string, uid: string): Promise<void> {
    for (const cgroup of this.groups.keys()) {
      if (cgroup.startsWith(`${podsCgroup}/`) && cgroup.endsWith(`/pod${uid}`)) this.groups.delete(cgroup);
    }
    return Promise.resolve();
  }
}
