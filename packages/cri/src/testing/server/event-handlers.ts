import { once } from "node:events";
import { Metadata, type ServerWritableStream, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { type ContainerRuntime, RuntimeError, type RuntimeEvent } from "../../container-runtime.ts";
import { statusFromError } from "../../grpc/error.ts";
import { wireContainerStatus } from "../../wire/container.ts";
import { containerdNamespace, criEventOf, envelopeOf, type WireAny, type WireEnvelope } from "../../wire/event.ts";
import { cancellation, unary } from "./handler.ts";

type EventStream<Request> = ServerWritableStream<Request, object>;

/** CRI's own stream: starts, exits and removals, with the status of a container that has ended. */
export function criEventHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  return {
    GetContainerEvents: (stream: EventStream<unknown>) =>
      writeEvents(runtime, stream, async (event) => {
        if (event.type === "connected") {
          stream.sendMetadata(new Metadata());
          return undefined;
        }
        const status =
          event.type === "stopped"
            ? await runtime.containerStatus(event.containerId).catch(() => undefined)
            : undefined;
        return criEventOf(event, status && wireContainerStatus(status));
      }),
  };
}

/** containerd's event service: the events of its runtime and of its clients, filtered. */
export function containerdEventHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  const publish = new Set<(envelope: WireEnvelope) => void>();
  return {
    Publish: unary<{ topic: string; event: WireAny | null }>(async ({ topic, event }) => {
      const envelope: WireEnvelope = { timestamp: null, namespace: containerdNamespace, topic, event };
      for (const deliver of publish) deliver(envelope);
    }),
    Subscribe: async (stream: EventStream<{ filters: string[] }>) => {
      let matches: (envelope: WireEnvelope) => boolean;
      try {
        matches = envelopeFilter(stream.request.filters);
      } catch (error) {
        stream.emit("error", statusFromError(error));
        return;
      }
      const deliver = (envelope: WireEnvelope) => {
        if (matches(envelope)) stream.write(envelope);
      };
      await writeEvents(runtime, stream, (event) => {
        if (event.type === "connected") {
          // An event that is published from now on arrives after the subscription is open. When its
          // publisher receives the event, this proves that the subscription is open.
          publish.add(deliver);
          return undefined;
        }
        const envelope = envelopeOf(event);
        return matches(envelope) ? envelope : undefined;
      });
      publish.delete(deliver);
    },
  };
}

/**
 * Writes the message of each event; a client that does not read blocks the runtime's own stream.
 */
async function writeEvents(
  runtime: ContainerRuntime,
  stream: EventStream<unknown>,
  messageOf: (event: RuntimeEvent) => object | undefined | Promise<object | undefined>,
): Promise<void> {
  const cancelled = cancellation(stream);
  try {
    for await (const event of runtime.events(cancelled)) {
      const message = await messageOf(event);
      if (message && !stream.write(message)) await once(stream, "drain", { signal: cancelled });
    }
    stream.end();
  } catch (error) {
    if (!cancelled.aborted) stream.emit("error", statusFromError(error));
  }
}

/**
 * The part of containerd's filter language that topics and namespaces need:
 * `namespace==k8s.io,topic~="^/tasks/"`.
 */
function envelopeFilter(filters: readonly string[]): (envelope: WireEnvelope) => boolean {
  const alternatives = filters.map((filter) => filter.split(",").map(parseTerm));
  if (alternatives.length === 0) return () => true;
  return (envelope) => alternatives.some((terms) => terms.every((term) => term(envelope)));
}

function parseTerm(text: string): (envelope: WireEnvelope) => boolean {
  const match = /^(topic|namespace)(==|~=)"?([^"]*)"?$/.exec(text);
  if (!match) throw new RuntimeError("invalid", `filter ${text} is not supported`);
  const [, field, operator, value] = match as unknown as [string, "topic" | "namespace", string, string];
  const pattern = operator === "~=" ? new RegExp(value) : undefined;
  return (envelope) => pattern?.test(envelope[field]) ?? envelope[field] === value;
}
