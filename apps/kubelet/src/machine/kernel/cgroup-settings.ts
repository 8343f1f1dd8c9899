import type { CgroupLimits } from "./cgroups.ts";

/** The kernel's scheduling period; the quota is a share of it. */
export const cpuPeriodUs = 100_000;

/** One file of a cgroup and its desired content. */
export interface CgroupSetting {
  /** The hierarchy of the file; unused in version 2. */
  controller: "cpu" | "memory" | "pids";
  file: string;
  value: string;
}

export function cgroupSettings(limits: CgroupLimits, version: 1 | 2): CgroupSetting[] {
  const { cpuShares: shares, cpuQuotaUs: quota, memoryBytes, pidsMax } = limits;
  const settings: (CgroupSetting | undefined)[] = [
    shares === undefined
      ? undefined
      : version === 1
        ? { controller: "cpu", file: "cpu.shares", value: String(shares) }
        : { controller: "cpu", file: "cpu.weight", value: String(cpuWeight(shares)) },
    ...(quota === undefined ? [] : quotaSettings(quota, version)),
    memoryBytes === undefined
      ? undefined
      : {
          controller: "memory",
          file: version === 1 ? "memory.limit_in_bytes" : "memory.max",
          value: String(memoryBytes),
        },
    pidsMax === undefined ? undefined : { controller: "pids", file: "pids.max", value: String(pidsMax) },
  ];
  return settings.filter((setting) => setting !== undefined);
}

/**
 * Reports whether a setting allows less than the file's current content. In this case, the groups
 * below have to be lowered first.
 */
export function isLower({ file, value }: CgroupSetting, now: string): boolean {
  const amount = (text: string) => {
    const [first = ""] = text.trim().split(" ");
    return first === "max" || first === "-1" ? Infinity : Number(first);
  };
  const isBound = /^(cpu\.cfs_quota_us|cpu\.max|memory\.limit_in_bytes|memory\.max|pids\.max)$/.test(file);
  return isBound && amount(value) < amount(now);
}

function quotaSettings(quotaUs: number, version: 1 | 2): CgroupSetting[] {
  if (version === 2) return [{ controller: "cpu", file: "cpu.max", value: `${quotaUs} ${cpuPeriodUs}` }];
  return [
    { controller: "cpu", file: "cpu.cfs_period_us", value: String(cpuPeriodUs) },
    { controller: "cpu", file: "cpu.cfs_quota_us", value: String(quotaUs) },
  ];
}

/** Converts from 2 … 262144 to 1 … 10000, as in upstream's CpuSharesToCpuWeight (KEP-2254). */
function cpuWeight(shares: number): number {
  return 1 + Math.floor(((shares - 2) * 9999) / 262_142);
}
