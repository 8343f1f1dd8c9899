import type { ChangeEnvelope, ChangeFilter, ChangeHandlers, ChangeStream, Logger, ParseChanged } from "@kintsugi/api";
import type { Bus } from "./bus.ts";
import { type ChangeMessage, decodeMessage } from "./envelope.ts";
import { MarksListener } from "./marks-listener.ts";
import { nodeFilter, resourceFilter } from "./subjects.ts";

export interface BusChangeStreamDeps {
  bus: Bus;
  log: Logger;
  /** The name of the cluster on the bus; known once the api-server has issued bus credentials. */
  cluster: () => string;
  /** Parses the object in a change. Default: each reader parses by itself. */
  parse?: ParseChanged | undefined;
}

/** Change events as they arrive over the bus, for informers. */
export class BusChangeStream implements ChangeStream {
  readonly parse: ParseChanged | undefined;
  readonly #deps: BusChangeStreamDeps;
  readonly #marks: MarksListener;

  constructor(deps: BusChangeStreamDeps) {
    this.parse = deps.parse;
    this.#deps = deps;
    this.#marks = new MarksListener(deps);
  }

  async subscribe(filter: ChangeFilter, handlers: ChangeHandlers, signal: AbortSignal): Promise<void> {
    const { bus, log, cluster } = this.#deps;
    const scope = { cluster: cluster(), group: filter.group, resource: filter.resource };
    const subject = filter.nodeName === undefined ? resourceFilter(scope) : nodeFilter(scope, filter.nodeName);
    const onMessage = (_: string, payload: Uint8Array) => {
      try {
        const message = decodeMessage(payload);
        if (message.type !== "marks") handlers.onChange(envelopeFor(message, filter));
      } catch (error) {
        // The message may have been a change.
        log.warn("unreadable message on the bus", { subject, error });
        handlers.onInterrupted("a message could not be read");
      }
    };
    await bus.subscribe(subject, { onMessage, onInterrupted: (reason) => handlers.onInterrupted(reason) }, signal);
    // A follower of one node detects its gaps by the answers to its Lease's renewals.
    if (filter.nodeName === undefined) await this.#marks.listen(filter, handlers, signal);
  }
}

function envelopeFor(message: ChangeMessage, filter: ChangeFilter): ChangeEnvelope {
  const { type, historyId, revision, previousOfResource, previousOfNode, namespace, name, object } = message;
  const previous = filter.nodeName === undefined ? previousOfResource : previousOfNode;
  return { type, historyId, revision, namespace, name, previous, ...(object && { object }) };
}
