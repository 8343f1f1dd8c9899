import { formatTimestamp } from "@kintsugi/api";
import type { World } from "./model/world.ts";
import type { Look } from "./plan/plan-look.ts";

/** Nodes of which the status names the reason to stay: more than a lab has. */
const reasonsMax = 50;

/** Returns the text of the ConfigMap `cluster-autoscaler-status`, which is YAML as upstream's. */
export function autoscalerStatus(world: World, look: Look, nowMs: number): string {
  const groups = world.groups.flatMap(({ name, min, max, target, machines }) => {
    const pausedUntilMs = look.memory.groups.get(name)?.untilMs ?? 0;
    const upcoming = look.upcoming.filter((id) => machines.includes(id)).length;
    return [
      `- name: ${name}`,
      "  health:",
      `    status: ${pausedUntilMs > nowMs ? "Unhealthy" : "Healthy"}`,
      `    cloudProviderTarget: ${target}`,
      `    minSize: ${min}`,
      `    maxSize: ${max}`,
      `    notStarted: ${upcoming}`,
      "  scaleUp:",
      `    status: ${pausedUntilMs > nowMs ? "Backoff" : upcoming > 0 ? "InProgress" : "NoActivity"}`,
      ...(pausedUntilMs > nowMs ? [`    until: ${JSON.stringify(formatTimestamp(pausedUntilMs))}`] : []),
    ];
  });
  const kept = [...look.kept].slice(0, reasonsMax).map(([name, because]) => `  ${name}: ${JSON.stringify(because)}`);
  const candidates = look.unneeded.map((name) => `  - ${name}`);
  return [
    "autoscalerStatus: Running",
    "clusterWide:",
    `  waitingPods: ${look.waiting}`,
    `  scaleDown: ${candidates.length > 0 ? "CandidatesPresent" : "NoCandidates"}`,
    ...(candidates.length === 0 ? [] : ["candidates:", ...candidates]),
    ...(kept.length === 0 ? [] : ["stays:", ...kept]),
    ...(groups.length === 0 ? [] : ["nodeGroups:", ...groups]),
    "",
  ].join("\n");
}
