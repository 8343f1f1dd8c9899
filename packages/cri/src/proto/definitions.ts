import { strict as assert } from "node:assert";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { decodeMessage, encodeMessage } from "./codec.ts";
import { containerProto } from "./container-proto.ts";
import { containerdEventServiceProto, containerdEventsProto, wellKnownProto } from "./containerd-events-proto.ts";
import { imageProto } from "./image-proto.ts";
import { type MessageType, parseProtos } from "./proto-text.ts";
import { sandboxProto } from "./sandbox-proto.ts";
import { servicesProto } from "./services-proto.ts";
import { statsProto } from "./stats-proto.ts";

/**
 * CRI v1 and containerd's events as gRPC definitions. The protos are a subset of upstream's with upstream's field numbers, kept
 * as text in the sources, so that one bundled file needs no .proto beside it. @grpc/proto-loader would do the same, and did:
 * to build descriptors that nobody reads, it took 80 ms and 8 MB at every start of a kubelet.
 */
const protos = parseProtos([
  wellKnownProto,
  containerdEventsProto,
  containerdEventServiceProto,
  `syntax = "proto3";\npackage runtime.v1;\n${servicesProto}${sandboxProto}${containerProto}${statsProto}${imageProto}`,
]);

export const runtimeService = service("runtime.v1.RuntimeService");
export const imageService = service("runtime.v1.ImageService");
export const eventService = service("containerd.services.events.v1.Events");

/** How a message is written and read. */
export interface MessageCodec {
  serialize: (message: object) => Buffer;
  deserialize: (bytes: Uint8Array) => object;
}

/** By its full name, for what travels inside an Any. */
export function findMessage(fullName: string): MessageCodec | undefined {
  const type = protos.messages.get(fullName);
  return type && codecOf(type);
}

function service(fullName: string): ServiceDefinition {
  const calls = protos.services.get(fullName);
  assert(calls, `${fullName} is a service of the protos`);
  const definitions = calls.map(({ name, request, response, responseStream }) => {
    const [requests, responses] = [codecOf(request), codecOf(response)];
    return [
      name,
      {
        path: `/${fullName}/${name}`,
        requestStream: false,
        responseStream,
        requestSerialize: requests.serialize,
        requestDeserialize: requests.deserialize,
        responseSerialize: responses.serialize,
        responseDeserialize: responses.deserialize,
        originalName: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
      },
    ];
  });
  return Object.fromEntries(definitions) as ServiceDefinition;
}

function codecOf(type: MessageType): MessageCodec {
  return {
    serialize: (message) => encodeMessage(type, message),
    deserialize: (bytes) => decodeMessage(type, bytes),
  };
}
