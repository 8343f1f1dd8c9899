import { type ContainerStatus, type PodStatus, readTerminations, type Termination } from "@kintsugi/api";

/**
 * Ends that are retained for each container. The slowest crash loop fills them in under an hour.
 */
const keptPerContainer = 10;
/**
 * The limit for all containers together, because an annotation is read with every copy of the pod.
 */
const keptMax = 60;
/** The first words of a container's last message are enough to identify the fault. */
const messageCharactersMax = 120;

/**
 * Returns the annotation's next value, or the same text when no container has ended since.
 * `killedBecause` finds causes by container id.
 */
export function withTerminations(
  annotation: string | undefined,
  status: PodStatus,
  killedBecause: (containerId: string) => string | undefined = () => undefined,
): string | undefined {
  const known = readTerminations(annotation);
  const byId = new Map(known.map((end) => [keyOf(end), end]));
  const added = statusesOf(status)
    .flatMap((each) => endsOf(each, killedBecause))
    .filter((end) => !sameEnd(byId.get(keyOf(end)), end));
  if (added.length === 0) return annotation;
  for (const end of added) {
    // A recorded end may have a better explanation in the meantime, because an OOM kill shows in
    // the reason a moment after the end.
    const killed = end.killed ?? byId.get(keyOf(end))?.killed;
    byId.set(keyOf(end), killed === undefined ? end : { ...end, killed });
  }
  const counts = new Map<string, number>();
  const kept = [...byId.values()].sort(newestFirst).filter(({ container }) => {
    const count = (counts.get(container) ?? 0) + 1;
    counts.set(container, count);
    return count <= keptPerContainer;
  });
  return JSON.stringify(kept.slice(0, keptMax));
}

function keyOf({ container, id }: Termination): string {
  return `${container}/${id}`;
}

function sameEnd(known: Termination | undefined, end: Termination): boolean {
  return known !== undefined && known.reason === end.reason && known.exitCode === end.exitCode;
}

function statusesOf(status: PodStatus): ContainerStatus[] {
  return [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
}

function endsOf(status: ContainerStatus, killedBecause: (containerId: string) => string | undefined): Termination[] {
  const { name, restartCount, state, lastState } = status;
  const ends = [];
  if (state?.terminated) ends.push({ ended: state.terminated, restart: restartCount });
  // While the next instance runs, or has ended, the count has risen; while it waits, the count has
  // not.
  if (lastState?.terminated)
    ends.push({ ended: lastState.terminated, restart: restartCount - (state?.waiting ? 0 : 1) });
  return ends.flatMap(({ ended, restart }) => {
    const { containerID = "", exitCode, signal, reason = "", message, startedAt, finishedAt } = ended;
    const fullId = containerID.replace(/^.*:\/\//, "");
    if (fullId === "" || !startedAt || !finishedAt) return [];
    const killed = killedBecause(fullId);
    return [
      {
        container: name,
        restart,
        exitCode,
        ...(signal ? { signal } : {}),
        reason,
        ...(killed === undefined ? {} : { killed }),
        ...(message ? { message: message.slice(0, messageCharactersMax) } : {}),
        startedAt,
        finishedAt,
        id: fullId.slice(0, 12),
      },
    ];
  });
}

function newestFirst(a: Termination, b: Termination): number {
  return a.finishedAt < b.finishedAt ? 1 : a.finishedAt > b.finishedAt ? -1 : b.restart - a.restart;
}
