import { cpuMillicores, isQuantity, memoryBytes, zoneLabel } from "@kintsugi/api";
import { z } from "zod";
import { findLabelProblem, findTaintProblem } from "../nodes/node-faults.ts";
import type { FieldFault, HostSize, TopologyPlace } from "../setting.ts";

/** The maximum number of machines in all groups together, as for `--cloud`. */
export const machinesMax = 100;
/** The minimum for a kubelet with its system. */
const leastCpuMillicores = 100;
const leastMemoryBytes = 128 * 1024 ** 2;

const quantity = z.union([z.string(), z.number()]);

/** A node group of the cloud, in the form of a topology file. */
const CloudGroupText = z.strictObject({
  name: z.string(),
  min: z.int().min(0).optional(),
  max: z.int().min(1).max(machinesMax),
  priority: z.int().optional(),
  cpu: quantity.optional(),
  memory: quantity.optional(),
  maxPods: z.int().min(1).max(500).optional(),
  zone: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  taints: z.array(z.string()).optional(),
});
type CloudGroupText = z.infer<typeof CloudGroupText>;

/** The cloud of a topology file. */
export const CloudText = z.strictObject({ groups: z.array(CloudGroupText).min(1).max(10) });
export type CloudText = z.infer<typeof CloudText>;

/** The cloud of a cluster of this host. */
export interface CloudSpec {
  /** The maximum number of machines that the cloud adds; 0 for none. */
  machinesMax: number;
  /** CPU of such a machine in thousandths of a core; default: all cores of this host. */
  machineCpuMillicores?: number;
  /** The cloud's node groups; default: one group with the name `pool`. */
  groups?: readonly CloudGroupSpec[];
}

/** A node group of a cloud; missing sizes default to the sizes of this host. */
interface CloudGroupSpec {
  name: string;
  min: number;
  max: number;
  /** A group of a higher priority grows before other groups. */
  priority: number;
  cpuMillicores?: number;
  memoryBytes?: number;
  /** Default 110. */
  podsMax?: number;
  zone?: string;
  labels?: Readonly<Record<string, string>>;
  taints?: readonly string[];
}

/** Returns the faults that the schema does not find; their paths begin at the cloud. */
export function faultsOfCloud({ groups }: CloudText, { host }: TopologyPlace): FieldFault[] {
  const problems = groups.flatMap((group, index) =>
    problemsOfGroup(group, host).map(({ path, message }) => ({ path: ["groups", index, ...path], message })),
  );
  const total = groups.reduce((sum, { max }) => sum + max, 0);
  if (total > machinesMax)
    problems.push({
      path: ["groups"],
      message: `have ${total} machines at most, and a cloud has at most ${machinesMax}`,
    });
  for (const [index, { name }] of groups.entries())
    if (groups.findIndex((group) => group.name === name) < index)
      problems.push({ path: ["groups", index, "name"], message: `a group "${name}" already exists` });
  return problems;
}

function problemsOfGroup(group: CloudGroupText, host: HostSize): FieldFault[] {
  const { name, min = 0, max, cpu, memory, zone, labels = {}, taints = [] } = group;
  const problems: FieldFault[] = [];
  const complain = (message: string | undefined, ...path: (string | number)[]) => {
    if (message !== undefined) problems.push({ path, message });
  };
  if (!/^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/.test(name))
    complain(`"${name}" has to be up to 20 lower-case letters, digits and '-', beginning with a letter`, "name");
  if (min > max) complain(`${min} is more than max, which is ${max}`, "min");
  const cores = { unit: "m", least: leastCpuMillicores, most: host.cpuMillicores, of: cpuMillicores };
  complain(cpu === undefined ? undefined : findSizeProblem(cpu, cores), "cpu");
  const bytes = { unit: " bytes", least: leastMemoryBytes, most: host.memoryBytes, of: memoryBytes };
  complain(memory === undefined ? undefined : findSizeProblem(memory, bytes), "memory");
  if (zone !== undefined) {
    complain(findLabelProblem(zoneLabel, zone), "zone");
    if (labels[zoneLabel] !== undefined) complain(`the label ${zoneLabel} sets it already`, "zone");
  }
  for (const [key, value] of Object.entries(labels)) complain(findLabelProblem(key, value), "labels", key);
  for (const [index, taint] of taints.entries()) complain(findTaintProblem(taint), "taints", index);
  return problems;
}

function findSizeProblem(
  size: string | number,
  { unit, least, most, of }: { unit: string; least: number; most: number; of: (text: string) => number },
): string | undefined {
  if (!isQuantity(size)) return `"${size}" is not a quantity, such as 500m, 2 or 1Gi`;
  const amount = of(String(size));
  return amount < least || amount > most
    ? `${size} is not from ${least}${unit} to ${most}${unit}, which this host has`
    : undefined;
}

/** Returns the cloud of a file without faults. */
export function toCloudSpec({ groups }: CloudText): CloudSpec {
  return {
    machinesMax: groups.reduce((sum, { max }) => sum + max, 0),
    groups: groups.map(({ name, min = 0, max, priority = 0, cpu, memory, maxPods, zone, labels, taints }) => ({
      name,
      min,
      max,
      priority,
      ...(cpu === undefined ? {} : { cpuMillicores: cpuMillicores(String(cpu)) }),
      ...(memory === undefined ? {} : { memoryBytes: memoryBytes(String(memory)) }),
      ...(maxPods === undefined ? {} : { podsMax: maxPods }),
      ...(zone === undefined ? {} : { zone }),
      ...(labels === undefined ? {} : { labels }),
      ...(taints === undefined ? {} : { taints }),
    })),
  };
}
