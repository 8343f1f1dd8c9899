import { findCondition, type Pod } from "@kintsugi/api";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import { type Known, nameOf } from "./known.ts";

interface Nominated {
  readonly nodeName: string;
  readonly priority: number;
  /** Until when it was so, on the clock of `Known.awakeMs`; for ever while it is. */
  untilMs: number;
}

/** Room is made for pods that are more important than those that have to go, and on the node that they are nominated to. */
export class OnlyForMoreImportant implements Invariant {
  readonly name = "no usurper";
  readonly never = "a pod that is preempted on a node to which no more important pod is nominated, or was within 15 s";
  readonly #known: Known;
  /** By the pod's UID. */
  readonly #nominated = new Map<string, Nominated[]>();

  constructor({ known }: { known: Known }) {
    this.#known = known;
  }

  pod({ type, object, before }: Seen<Pod>, check: Check): void {
    this.#follow(object, type === "delete");
    if (type === "delete" || !isPreempted(object)) return;
    if (before !== undefined && before.metadata.uid === object.metadata.uid && isPreempted(before)) return;
    const [nodeName, priority] = [object.spec?.nodeName ?? "", object.spec?.priority ?? 0];
    const { awakeMs } = this.#known;
    const isFor = [...this.#nominated.values()].flat().some(
      (other) =>
        other.priority > priority &&
        other.untilMs + hearsayMs >= awakeMs &&
        // A pod whose binding is on its way has no node yet.
        (nodeName === "" || other.nodeName === nodeName),
    );
    const broken = `pod ${nameOf(object)} of priority ${priority} was preempted on ${nodeName}, where no more important pod is nominated`;
    check(isFor ? undefined : broken);
  }

  #follow({ metadata: { uid = "" }, spec, status }: Pod, isGone: boolean): void {
    const { awakeMs } = this.#known;
    const past = (this.#nominated.get(uid) ?? []).filter(({ untilMs }) => untilMs + hearsayMs >= awakeMs);
    const nodeName = isGone || (spec?.nodeName ?? "") !== "" ? "" : (status?.nominatedNodeName ?? "");
    const last = past.at(-1);
    if (last?.untilMs === Infinity && last.nodeName !== nodeName) last.untilMs = awakeMs;
    if (nodeName !== "" && (last?.untilMs !== Infinity || last.nodeName !== nodeName))
      past.push({ nodeName, priority: spec?.priority ?? 0, untilMs: Infinity });
    if (past.length === 0) this.#nominated.delete(uid);
    else this.#nominated.set(uid, past);
  }
}

function isPreempted({ status }: Pod): boolean {
  const target = findCondition(status?.conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}
