import { strict as assert } from "node:assert";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { decodeMessage, encodeMessage } from "./codec.ts";
import type { MessageType, Protos } from "./proto-text.ts";

/** Writes and reads a message. */
export interface MessageCodec {
  serialize: (message: object) => Buffer;
  deserialize: (bytes: Uint8Array) => object;
}

/**
 * A service of protos as a gRPC definition, its calls by their names in the proto. @throws
 * AssertionError when the protos have no service of that name.
 */
export function serviceDefinition(protos: Protos, fullName: string): ServiceDefinition {
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

export function codecOf(type: MessageType): MessageCodec {
  return {
    serialize: (message) => encodeMessage(type, message),
    deserialize: (bytes) => decodeMessage(type, bytes),
  };
}
