import type { Handler, ProbeOutcome, Prober, ProbeTarget } from "../pods/probes/prober.ts";

/** Answers probes by a test's script; without a script, every container is healthy. */
export class ScriptedProber implements Prober {
  #answer: (handler: Handler, target: ProbeTarget) => ProbeOutcome = () => ({ kind: "success" });
  readonly asked: { handler: Handler; containerId: string }[] = [];

  /** Sets the result of probes from now on. */
  answer(answer: (handler: Handler, target: ProbeTarget) => ProbeOutcome): void {
    this.#answer = answer;
  }

  attempt(handler: Handler, target: ProbeTarget): Promise<ProbeOutcome> {
    this.asked.push({ handler, containerId: target.containerId });
    return Promise.resolve(this.#answer(handler, target));
  }
}
