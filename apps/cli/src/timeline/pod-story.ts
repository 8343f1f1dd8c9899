import {
  type ContainerEnd,
  containerStories,
  type ContainerStory,
  controllerOf,
  type Pod,
  pods,
  type StatefulSet,
  statefulSets,
  textTable,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/** The history of one pod's containers, and the measures against their failures. */
export interface PodStory {
  readonly pod: string;
  readonly namespace: string;
  /**
   * This project's conditions that are true, with their messages: restarts of the whole pod, and
   * whether it is to be replaced.
   */
  readonly measures: readonly { type: string; reason: string; message: string; since: string }[];
  readonly containers: readonly ContainerStory[];
}

/** Undefined when the pod no longer exists; then only the timeline has its history. */
export async function readStory(
  client: Client,
  { pod: name = "", namespace = "default" }: { pod?: string; namespace?: string },
): Promise<PodStory | undefined> {
  const pod = await client.find(pods, { namespace, name });
  if (pod === undefined) return undefined;
  const owner = controllerOf(pod);
  const isStateful = owner?.kind === statefulSets.kind;
  return podStory(pod, isStateful ? await client.find(statefulSets, { namespace, name: owner.name }) : undefined);
}

/**
 * A StatefulSet's conditions are part of the history, because they report pods that cannot be
 * replaced.
 */
export function podStory(pod: Pod, owner?: StatefulSet): PodStory {
  const { name = "", namespace = "" } = pod.metadata;
  const conditions = [...(pod.status?.conditions ?? []), ...(owner?.status?.conditions ?? [])];
  const ours = conditions.filter(({ type }) => type.startsWith("kintsugi.dev/"));
  return {
    pod: name,
    namespace,
    measures: ours.map(({ type, reason = "", message = "", lastTransitionTime = "" }) => {
      return { type, reason, message, since: lastTransitionTime ?? "" };
    }),
    containers: containerStories(pod),
  };
}

/** Writes the part below the timeline: each container with a table of its terminations. */
export function storyText({ measures, containers }: PodStory): string[] {
  const said = measures.map(({ type, reason, message, since }) => `${type} (${reason}) since ${since}: ${message}`);
  return [
    ...(said.length === 0 ? [] : ["", ...said]),
    ...containers.flatMap((story) => ["", headOf(story), ...endsTable(story.ends)]),
  ];
}

function headOf({ container, restarts, now, ends }: ContainerStory): string {
  const ended =
    ends.length === 0 ? ", has never ended" : `; its last ${ends.length === 1 ? "end" : `${ends.length} ends`}:`;
  return `container ${container}: restarted ${restarts === 1 ? "once" : `${restarts} times`}, ${now}${ended}`;
}

function endsTable(ends: readonly ContainerEnd[]): string[] {
  if (ends.length === 0) return [];
  const rows = ends.map((end) => [
    end.finishedAt,
    String(end.restart),
    seconds(end.ranForMs),
    String(end.exitCode),
    end.reason,
    end.downMs === undefined ? (end.downBecause ?? "") : `${seconds(end.downMs)}: ${end.downBecause}`,
    end.message === undefined ? end.because : `${end.because}: ${JSON.stringify(end.message)}`,
  ]);
  return textTable(["ENDED", "RESTART", "RAN", "EXIT", "REASON", "THEN DOWN", "BECAUSE"], rows);
}

function seconds(durationMs: number): string {
  return `${Math.round(durationMs / 1000)}s`;
}
