import { type ApiObject, findCondition } from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand, slashed } from "../words/commands.ts";
import { newestEvent, timeOf } from "../words/newest-event.ts";
import { aboutObject, withText } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import type { World } from "../world.ts";

/** An event of a rejected pod that is older than this may concern a fault that is over. */
const eventMaxAgeMs = 5 * 60_000;

/**
 * Explains that the API server rejects the workload's pods: a quota, an admission rule, a missing
 * ServiceAccount. The condition ReplicaFailure reports the rejection, or, for kinds without that
 * condition, an event.
 */
export function refusalReasons(
  object: ApiObject & { status?: { conditions?: readonly Condition[] | undefined } | undefined },
  kind: string,
  world: World,
): ExplainedReason[] {
  const about = aboutObject(kind, object);
  const condition = findCondition(object.status?.conditions, "ReplicaFailure");
  const isRefused = condition?.status === "True";
  const event = newestEvent(world, about, { reasons: ["FailedCreate"] });
  const isRecent = event !== undefined && world.nowMs - timeOf(event) < eventMaxAgeMs;
  if (!isRefused && !isRecent) return [];
  const message = (isRefused ? condition.message : undefined) ?? event?.message ?? "";
  const isQuota = message.includes("exceeded quota");
  return [
    {
      code: "PodsRefused",
      about,
      because: `The API server rejects its pods${withText(message)}.`,
      ...sinceOf(isRefused ? condition.lastTransitionTime : undefined),
      awaits: isQuota ? "free quota" : "a fix of the cause",
      next: "The controller retries with growing delays.",
      remedies: isQuota
        ? [
            {
              does: "See what the quota has left",
              command: kubectlCommand(about.namespace, "describe", "resourcequota"),
            },
            { does: "Request less", command: kubectlCommand(about.namespace, "edit", slashed(about)) },
          ]
        : [{ does: "Read its events", command: kubectlCommand(about.namespace, "describe", slashed(about)) }],
    },
  ];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | null | undefined;
}
