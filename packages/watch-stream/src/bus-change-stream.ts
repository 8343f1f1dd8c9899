import type { ChangeEnvelope, ChangeFilter, ChangeHandlers, ChangeStream, Logger } from "@kintsugi/api";
import type { Bus } from "./bus.ts";
import { type ChangeMessage, decodeMessage } from "./envelope.ts";
import { nodeFilter, resourceFilter } from "./subjects.ts";

export interface BusChangeStreamDeps {
  bus: Bus;
  log: Logger;
  /** The name under which the cluster's changes travel; known once the api-server has issued bus credentials. */
  cluster: () => string;
}

/** Change events as they come over the bus, for informers. */
export class BusChangeStream implements ChangeStream {
  readonly #deps: BusChangeStreamDeps;

  constructor(deps: BusChangeStreamDeps) {
    this.#deps = deps;
  }

  async subscribe(filter: ChangeFilter, handlers: ChangeHandlers, signal: AbortSignal): Promise<void> {
    const { bus, log, cluster } = this.#deps;
    const scope = { cluster: cluster(), group: filter.group, resource: filter.resource };
    const subject = filter.nodeName === undefined ? resourceFilter(scope) : nodeFilter(scope, filter.nodeName);
    const onMessage = (_: string, payload: Uint8Array) => {
      try {
        deliver(payload, filter, handlers);
      } catch (error) {
        // Whatever it was, it may have been a change.
        log.warn("unreadable message on the bus", { subject, error });
        handlers.onInterrupted("a message could not be read");
      }
    };
    await bus.subscribe(subject, { onMessage, onInterrupted: (reason) => handlers.onInterrupted(reason) }, signal);
  }
}

function deliver(payload: Uint8Array, filter: ChangeFilter, handlers: ChangeHandlers): void {
  const message = decodeMessage(payload);
  if (message.type === "mark") handlers.onMark({ historyId: message.historyId, revision: message.revision });
  else handlers.onChange(envelopeFor(message, filter));
}

function envelopeFor(message: ChangeMessage, filter: ChangeFilter): ChangeEnvelope {
  const { previousOfResource, previousOfNode, ...rest } = message;
  return { ...rest, previous: filter.nodeName === undefined ? previousOfResource : previousOfNode };
}
