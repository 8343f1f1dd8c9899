import { createEventRecorder, type EventRecorder, type EventRecorderDeps } from "@kintsugi/client";
import { untilAborted } from "@kintsugi/clock";
import type { RecordEvent } from "./event-note.ts";

/**
 * The recorders of all components of this process. The recorders outlive the process's terms as
 * leader. Each recorder remembers its events, so that repeated events are counted, and unsent
 * events do not delay the end of a term.
 */
export class EventRecorders {
  readonly #deps: EventRecorderDeps;
  readonly #byComponent = new Map<string, EventRecorder>();
  readonly #running: Promise<void>[] = [];
  #signal: AbortSignal | undefined;

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps;
  }

  of(component: string): EventRecorder {
    const known = this.#byComponent.get(component);
    if (known) return known;
    const recorder = createEventRecorder(this.#deps, { component });
    this.#byComponent.set(component, recorder);
    if (this.#signal) this.#running.push(recorder.run(this.#signal));
    return recorder;
  }

  /**
   * Returns the recorders of one term. Events are not recorded once the term has passed, because
   * the term's writes in flight then fail for reasons that do not concern their objects.
   */
  during(term: AbortSignal): (component: string) => RecordEvent {
    return (component) => {
      const recorder = this.of(component);
      return ({ about, ...note }) => {
        if (!term.aborted) recorder.record(about, note);
      };
    };
  }

  /** Sends the events of all recorders until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const recorder of this.#byComponent.values()) this.#running.push(recorder.run(signal));
    await untilAborted(signal);
    await Promise.all(this.#running);
  }
}
