import type { Pod } from "@kintsugi/api";

const terminalPhases = ["Succeeded", "Failed"];

/** What no pod may become after what it was: S9 moved to another node, S22 restarts uncounted, or risen from the dead. */
export function podHistoryViolation(before: Pod, after: Pod): { invariant: string; message: string } | undefined {
  if (before.metadata.uid !== after.metadata.uid) return undefined;
  const name = `pod ${after.metadata.namespace}/${after.metadata.name}`;
  const [from, to] = [before.spec?.nodeName ?? "", after.spec?.nodeName ?? ""];
  if (from !== "" && to !== from) return { invariant: "S9", message: `${name} moved from ${from} to "${to}"` };
  const [phase, next] = [before.status?.phase, after.status?.phase];
  if (phase !== undefined && terminalPhases.includes(phase) && next !== phase) {
    return { invariant: "S22", message: `${name} was ${phase} and became ${next}` };
  }
  const counts = new Map(statusesOf(before).map((status) => [status.name, status.restartCount]));
  for (const { name: container, restartCount } of statusesOf(after)) {
    const known = counts.get(container) ?? 0;
    if (restartCount < known) {
      return { invariant: "S22", message: `${name}: restarts of ${container} fell from ${known} to ${restartCount}` };
    }
  }
  return undefined;
}

function statusesOf({ status }: Pod) {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}
