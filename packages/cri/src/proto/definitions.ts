import { codecOf, type MessageCodec, parseProtos, serviceDefinition } from "@kintsugi/grpc";
import { containerProto } from "./container-proto.ts";
import { containerdEventServiceProto, containerdEventsProto, wellKnownProto } from "./containerd-events-proto.ts";
import { imageProto } from "./image-proto.ts";
import { sandboxProto } from "./sandbox-proto.ts";
import { servicesProto } from "./services-proto.ts";
import { statsProto } from "./stats-proto.ts";

/**
 * CRI v1 and containerd's events as gRPC definitions. The protos are a subset of upstream's with
 * upstream's field numbers, stored as text in the sources, so that one bundled file does not need a
 * .proto file. @grpc/proto-loader did the same before: for descriptors that are never read, it took
 * 80 ms and 8 MB at every start of a kubelet.
 */
const protos = parseProtos([
  wellKnownProto,
  containerdEventsProto,
  containerdEventServiceProto,
  `syntax = "proto3";\npackage runtime.v1;\n${servicesProto}${sandboxProto}${containerProto}${statsProto}${imageProto}`,
]);

export const runtimeService = serviceDefinition(protos, "runtime.v1.RuntimeService");
export const imageService = serviceDefinition(protos, "runtime.v1.ImageService");
export const eventService = serviceDefinition(protos, "containerd.services.events.v1.Events");

/** Finds a message by its full name, for the content of an Any. */
export function findMessage(fullName: string): MessageCodec | undefined {
  const type = protos.messages.get(fullName);
  return type && codecOf(type);
}
