import { isPodTerminal, type Pod, pods } from "@kintsugi/api";
import { type Invariant, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

/** A terminated pod remains terminated, and every restart is counted. */
export function endedPodsStayEnded(): Invariant {
  return {
    name: "ended-pods-stay-ended",
    never: "a restart count that decreases; a pod whose phase changes after Succeeded or Failed",
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        if (type === "delete" || before === undefined || before.metadata.uid !== object.metadata.uid) return;
        const [was, is] = [before.status?.phase, object.status?.phase];
        check(isPodTerminal(before) && is !== was ? `pod ${nameOf(object)} was ${was} and became ${is}` : undefined);
        check(fallenCount(before, object));
      }),
    ],
  };
}

function fallenCount(before: Pod, after: Pod): string | undefined {
  const counts = new Map(statusesOf(before).map((status) => [status.name, status.restartCount]));
  for (const { name, restartCount } of statusesOf(after)) {
    const known = counts.get(name) ?? 0;
    if (restartCount < known) return `pod ${nameOf(after)}: restarts of ${name} fell from ${known} to ${restartCount}`;
  }
  return undefined;
}

function statusesOf({ status }: Pod) {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}
