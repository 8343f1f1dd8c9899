import { strict as assert } from "node:assert";
import { type MessageType, parseProtos, serviceDefinition } from "@kintsugi/grpc";
import type { CsiServiceName } from "../csi-driver.ts";
import { commonProto, protobufProto } from "./common-proto.ts";
import { controllerProto } from "./controller-proto.ts";
import { nodeProto } from "./node-proto.ts";

const protos = parseProtos([protobufProto, commonProto, controllerProto, nodeProto]);

/** CSI's services as gRPC definitions. */
export const csiServices = {
  Identity: serviceDefinition(protos, "csi.v1.Identity"),
  Controller: serviceDefinition(protos, "csi.v1.Controller"),
  Node: serviceDefinition(protos, "csi.v1.Node"),
} as const satisfies Readonly<Record<CsiServiceName, unknown>>;

/** Returns the call's name in the proto: "NodeStageVolume". */
export function rpcName(callName: string): string {
  return `${callName.charAt(0).toUpperCase()}${callName.slice(1)}`;
}

/** Returns the type of a call's request or response. */
export function messageType(callName: string, part: "Request" | "Response"): MessageType {
  const type = protos.messages.get(`csi.v1.${rpcName(callName)}${part}`);
  assert(type, `${callName} has a ${part} in the protos`);
  return type;
}
