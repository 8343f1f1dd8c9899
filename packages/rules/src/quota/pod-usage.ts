import {
  type ExactQuantity,
  isExtendedResource,
  parseQuantity,
  type Pod,
  podLimits,
  podRequests,
  type ResourceAmounts,
  type ResourceRequirements,
} from "@kintsugi/api";
import { type Amounts, one } from "./amounts.ts";

const computeResources = ["cpu", "memory", "ephemeral-storage"];

/** The resources that a running pod uses of its namespace's quota. */
export function podAmounts(pod: Pod): Amounts {
  const usage = new Map<string, ExactQuantity>([["pods", one]]);
  const exact = (amounts: ResourceAmounts, part: "requests" | "limits") =>
    Object.entries(amounts).map(([name, amount]): [string, ExactQuantity] => [
      name,
      { nanos: BigInt(amount) * (name === "cpu" ? 1_000_000n : one.nanos), format: formatOf(pod, part, name) },
    ]);
  for (const [name, amount] of exact(podRequests(pod), "requests")) {
    const isCompute = computeResources.includes(name);
    const isHugePages = name.startsWith("hugepages-");
    if (isCompute || isHugePages) usage.set(name, amount);
    if (isCompute || isHugePages || isExtendedResource(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of exact(podLimits(pod), "limits")) {
    if (computeResources.includes(name)) usage.set(`limits.${name}`, amount);
  }
  return usage;
}

/** A sum is written in the format of its first part. */
function formatOf(pod: Pod, part: "requests" | "limits", name: string): ExactQuantity["format"] {
  const { containers = [], initContainers = [], resources } = pod.spec ?? {};
  const stated: (ResourceRequirements | undefined)[] = [
    resources as ResourceRequirements | undefined,
    ...[...containers, ...initContainers].map((container) => container.resources),
  ];
  for (const each of stated) {
    const text = each?.[part]?.[name];
    if (text !== undefined) return parseQuantity(text).format;
  }
  return "DecimalSI";
}

/** Each container must specify these resources if a quota limits them. */
const statedResources = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

/**
 * Returns the missing specifications of containers for a quota of these names, with upstream's
 * text; undefined when all are present.
 */
export function missingStatements(pod: Pod, names: readonly string[]): string | undefined {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const missing = names
    .filter((name) => statedResources.has(name))
    .toSorted()
    .flatMap((name) => {
      const lacking = [...containers, ...initContainers].filter(({ resources }) => !states(resources, name));
      const containerNames = lacking.map((container) => container.name).toSorted();
      return lacking.length === 0 ? [] : [`${name} for: ${containerNames.join(",")}`];
    });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}

function states(resources: ResourceRequirements | undefined, name: string): boolean {
  const [part, resource] = name.startsWith("limits.")
    ? (["limits", name.slice(7)] as const)
    : (["requests", name.replace(/^requests\./, "")] as const);
  return resources?.[part]?.[resource] !== undefined;
}
