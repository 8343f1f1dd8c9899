import type { BoundPod } from "../../model/bound-pod.ts";
import { escalationFault } from "../../model/escalation.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { PodPart } from "./pod-part.ts";

/** Emits an event for an invalid escalation annotation of a pod, once for each fault. */
export class EscalationWarnings implements PodPart {
  readonly name = "escalation";
  readonly #events: PodEvents;
  /** The faults for which an event was sent, by the pod's uid. */
  readonly #warned = new Map<string, string>();

  constructor({ events }: { events: PodEvents }) {
    this.#events = events;
  }

  begin(pod: BoundPod): void {
    const { uid } = pod.metadata;
    const fault = escalationFault(pod);
    if (fault === this.#warned.get(uid)) return;
    if (fault === undefined) return void this.#warned.delete(uid);
    this.#warned.set(uid, fault);
    this.#events.warning(
      pod,
      "InvalidAnnotation",
      `${fault}; failures of the pod are not escalated until the annotation is corrected.`,
    );
  }

  forget(uid: string): void {
    this.#warned.delete(uid);
  }
}
