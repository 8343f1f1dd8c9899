import { parseProtos, serviceDefinition } from "@kintsugi/grpc";
import { draProto } from "./dra-proto.ts";
import type { DeviceServiceName } from "./service-names.ts";

export const deviceServices = {
  "v1.DRAPlugin": serviceOf("v1"),
  "v1beta1.DRAPlugin": serviceOf("v1beta1"),
} satisfies Record<DeviceServiceName, unknown>;

function serviceOf(version: "v1" | "v1beta1") {
  return serviceDefinition(parseProtos([draProto(version)]), `k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin`);
}
