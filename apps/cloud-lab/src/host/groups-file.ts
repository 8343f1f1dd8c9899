import { readFile } from "node:fs/promises";
import { GroupRecord } from "@kintsugi/cloud";
import { z } from "zod";
import type { HostFacts } from "./lab-machines.ts";

const { name, min, max, priority } = GroupRecord.shape;

/** The node groups of a cluster's description. A machine without a size has this host's size. */
const DescribedGroups = z.array(
  z.strictObject({
    name,
    min,
    max,
    priority,
    cpuMillicores: z.int().min(1).optional(),
    memoryBytes: z.int().min(1).optional(),
    podsMax: z.int().min(1).default(110),
    zone: z.string().default("lab-a"),
    labels: z.record(z.string(), z.string()).default({}),
    taints: z.array(z.string()).default([]),
  }),
);

/**
 * Returns the groups of the file; no machine is larger than this host.
 * @throws Error that names the file, where its groups cannot be parsed.
 */
export async function readGroups(file: string, host: HostFacts): Promise<readonly GroupRecord[]> {
  try {
    const described = DescribedGroups.parse(JSON.parse(await readFile(file, "utf8")));
    return described.map(({ cpuMillicores, memoryBytes, podsMax, zone, labels, taints, ...group }) => {
      const cpu = Math.min(cpuMillicores ?? Infinity, host.cpuMillicores);
      const template = {
        instanceType: `lab-${group.name}-${cpu / 1000}`,
        zone,
        cpuMillicores: cpu,
        memoryBytes: Math.min(memoryBytes ?? Infinity, host.memoryBytes),
        podsMax,
        labels,
        taints,
      };
      return { ...group, template, machines: [] };
    });
  } catch (error) {
    throw new Error(`--groups-file ${file}: ${(error as Error).message}`, { cause: error });
  }
}
