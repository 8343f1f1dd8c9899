import { type Endpoints, endpoints, formatKey, isApiError, keyOf, parseKey } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { type Controller, done, QueueController, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { type RecordEvent, referenceTo } from "../../shared/events/event-note.ts";
import { isNamespaceTerminating } from "../../shared/writes/write-outcome.ts";
import { hasKeptEndpoints } from "../../shared/service-endpoints/pod-endpoint.ts";
import { ServicePods } from "../../shared/service-endpoints/service-pods.ts";
import { TriggerTimes } from "../../shared/service-endpoints/trigger-times.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { planEndpoints } from "./plan.ts";

/** Writes the addresses of the pods behind each Service into one Endpoints, which older clients read. */
export class EndpointsController implements Controller {
  readonly name = "endpoints";
  readonly #context: ControllerContext;
  readonly #servicePods: ServicePods;
  readonly #endpoints: Informer<Endpoints>;
  readonly #triggers = new TriggerTimes();
  readonly #recordEvent: RecordEvent;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    const { informers, options } = context;
    this.#context = context;
    this.#servicePods = new ServicePods(informers);
    this.#endpoints = informers.of(endpoints);
    this.#recordEvent = context.eventsAs("endpoint-controller");
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: { reconcile: (key) => this.#reconcile(key) },
        allKeys: () => this.#servicePods.allKeys(),
      },
      { name: "endpoint", workers: options.concurrentEndpointSyncs },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers, options } = this.#context;
    // Whose Service went while nobody looked, goes: only at the start, because later somebody may write Endpoints before their Service.
    for (const left of this.#endpoints.list()) this.#queue.enqueue(formatKey(keyOf(left)));
    const stops = [
      this.#servicePods.services.onChange(({ object }) => this.#queue.enqueue(formatKey(keyOf(object)))),
      informers.pods.onChange((change) => {
        for (const key of this.#servicePods.keysFor(change))
          this.#queue.enqueueAfter(key, options.endpointUpdatesBatchPeriodMs);
      }),
      // What is written shows in the copy later: a change back to what the copy still says is no change for the plan, and would be lost.
      // Somebody may write Endpoints before their Service, though.
      this.#endpoints.onChange(({ type, object }) => {
        const key = keyOf(object);
        if (type === "deleted" || this.#servicePods.services.find(key)) this.#queue.enqueue(formatKey(key));
      }),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const service = this.#servicePods.services.find(parseKey(key));
    if (service === undefined) {
      this.#triggers.forget(key);
      await this.#remove(key);
      return done;
    }
    if (!hasKeptEndpoints(service)) return done;
    const pods = this.#servicePods.podsOf(service);
    const triggerTime = this.#triggers.next(key, service, pods);
    const current = this.#endpoints.find(parseKey(key));
    const next = planEndpoints({ service, pods, current, triggerTime });
    if (next !== undefined) await this.#write(key, current, next);
    return done;
  }

  /** By the revision that the plan was made for: a copy that is late makes the write fail, and the next one reads what was written. */
  async #write(key: string, current: Endpoints | undefined, next: Endpoints): Promise<void> {
    const { client } = this.#context;
    try {
      await (current === undefined ? client.create(endpoints, next) : client.update(endpoints, next));
    } catch (error) {
      if (current === undefined && isNamespaceTerminating(error)) return;
      if (!isApiError(error, "Conflict", "AlreadyExists")) this.#tellFailure(key, { current, next, error });
      throw error;
    }
  }

  #tellFailure(
    key: string,
    { current, next, error }: { current: Endpoints | undefined; next: Endpoints; error: unknown },
  ): void {
    const because = error instanceof Error ? error.message : String(error);
    const [reason, message] =
      current === undefined
        ? ["FailedToCreateEndpoint", `Failed to create endpoint for service ${key}: ${because}`]
        : ["FailedToUpdateEndpoint", `Failed to update endpoint ${key}: ${because}`];
    this.#recordEvent({ about: referenceTo(endpoints, next), type: "Warning", reason, message });
  }

  /** Asks the server, because what was made a moment ago may not be in the copy yet. */
  async #remove(key: string): Promise<void> {
    const { client } = this.#context;
    const live = await client.find(endpoints, parseKey(key));
    if (live === undefined) return;
    const { uid = "" } = live.metadata;
    try {
      await client.delete(endpoints, parseKey(key), { preconditions: { uid } });
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}
