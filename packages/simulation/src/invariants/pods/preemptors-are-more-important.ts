import { findCondition, type Pod, pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";

interface Nominated {
  readonly nodeName: string;
  readonly priority: number;
  /** The end of this state, on the clock of `Known.activeMs`; Infinity while it lasts. */
  untilMs: number;
}

/** A pod preempts only less important pods, and only on the node to which it is nominated. */
export function preemptorsAreMoreImportant({ known }: InvariantContext): Invariant {
  /** The nominations by the pod's UID. */
  const nominated = new Map<string, Nominated[]>();

  return {
    name: "preemptors-are-more-important",
    never:
      "a pod that is preempted on a node to which no more important pod is nominated, or was nominated within the last 15 s",
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        follow(object, type === "delete");
        if (type === "delete" || !isPreempted(object)) return;
        if (before !== undefined && before.metadata.uid === object.metadata.uid && isPreempted(before)) return;
        const [nodeName, priority] = [object.spec?.nodeName ?? "", object.spec?.priority ?? 0];
        const { activeMs } = known;
        const isFor = [...nominated.values()].flat().some(
          (other) =>
            other.priority > priority &&
            other.untilMs + staleViewMs >= activeMs &&
            // A pod whose binding is in flight has no node yet.
            (nodeName === "" || other.nodeName === nodeName),
        );
        const broken = `pod ${nameOf(object)} of priority ${priority} was preempted on ${nodeName}, where no more important pod is nominated`;
        check(isFor ? undefined : broken);
      }),
    ],
  };

  function follow({ metadata: { uid = "" }, spec, status }: Pod, isGone: boolean): void {
    const { activeMs } = known;
    const past = (nominated.get(uid) ?? []).filter(({ untilMs }) => untilMs + staleViewMs >= activeMs);
    const nodeName = isGone || (spec?.nodeName ?? "") !== "" ? "" : (status?.nominatedNodeName ?? "");
    const last = past.at(-1);
    if (last?.untilMs === Infinity && last.nodeName !== nodeName) last.untilMs = activeMs;
    if (nodeName !== "" && (last?.untilMs !== Infinity || last.nodeName !== nodeName))
      past.push({ nodeName, priority: spec?.priority ?? 0, untilMs: Infinity });
    if (past.length === 0) nominated.delete(uid);
    else nominated.set(uid, past);
  }
}

function isPreempted({ status }: Pod): boolean {
  const target = findCondition(status?.conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}
