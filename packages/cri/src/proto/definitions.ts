import { strict as assert } from "node:assert";
import { type MessageTypeDefinition, type ServiceDefinition, fromJSON } from "@grpc/proto-loader";
import protobuf from "protobufjs";
import { containerProto } from "./container-proto.ts";
import { containerdEventServiceProto, containerdEventsProto, wellKnownProto } from "./containerd-events-proto.ts";
import { imageProto } from "./image-proto.ts";
import { sandboxProto } from "./sandbox-proto.ts";
import { servicesProto } from "./services-proto.ts";
import { statsProto } from "./stats-proto.ts";

/**
 * CRI v1 and containerd's events as gRPC definitions. The protos are a subset of upstream's with upstream's field numbers, kept
 * as text in the sources, so that one bundled file needs no .proto beside it. Decoded messages are plain objects: every field
 * present, absent messages null, 64-bit integers and enums as strings.
 */
const definitions = fromJSON(parseProtos(), { defaults: true, longs: String, enums: String });

export const runtimeService = service("runtime.v1.RuntimeService");
export const imageService = service("runtime.v1.ImageService");
export const eventService = service("containerd.services.events.v1.Events");

/** The definition of a message, for what travels inside an Any. */
export function findMessage(fullName: string): MessageTypeDefinition<object, object> | undefined {
  const found = definitions[fullName];
  return found && "serialize" in found && "deserialize" in found
    ? (found as MessageTypeDefinition<object, object>)
    : undefined;
}

function service(fullName: string): ServiceDefinition {
  const found = definitions[fullName];
  assert(found && !("format" in found), `${fullName} is a service of the protos`);
  return found as ServiceDefinition;
}

function parseProtos(): protobuf.INamespace {
  const root = new protobuf.Root();
  const cri = `syntax = "proto3";\npackage runtime.v1;\n${servicesProto}${sandboxProto}${containerProto}${statsProto}${imageProto}`;
  for (const text of [wellKnownProto, containerdEventsProto, containerdEventServiceProto, cri]) {
    protobuf.parse(text, root, { keepCase: false });
  }
  return root.toJSON();
}
