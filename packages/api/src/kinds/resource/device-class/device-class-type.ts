import type { ResourceType } from "../../../meta/resource-type.ts";
import type { DeviceClass } from "./device-class.ts";

export const deviceClasses: ResourceType<DeviceClass> = {
  group: "resource.k8s.io",
  version: "v1",
  resource: "deviceclasses",
  singular: "deviceclass",
  kind: "DeviceClass",
  namespaced: false,
  shortNames: [],
  categories: [],
};
