import { parseProtos, serviceDefinition } from "@kintsugi/grpc";
import { draProto } from "./dra-proto.ts";

/** The services that are spoken, by the names under which drivers state them; the newest first. */
export const deviceServices = {
  "v1.DRAPlugin": serviceOf("v1"),
  "v1beta1.DRAPlugin": serviceOf("v1beta1"),
} as const;

export type DeviceServiceName = keyof typeof deviceServices;
export const deviceServiceNames = Object.keys(deviceServices) as readonly DeviceServiceName[];

function serviceOf(version: "v1" | "v1beta1") {
  return serviceDefinition(parseProtos([draProto(version)]), `k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin`);
}
