import type { ResourceType } from "../../../meta/resource-type.ts";
import type { VolumeAttributesClass, VolumeAttributesClassV1beta1 } from "./volume-attributes-class.ts";

const names = {
  group: "storage.k8s.io",
  resource: "volumeattributesclasses",
  singular: "volumeattributesclass",
  kind: "VolumeAttributesClass",
  namespaced: false,
  shortNames: ["vac"],
  categories: [],
};

export const volumeAttributesClasses: ResourceType<VolumeAttributesClass> = { ...names, version: "v1" };

/** The same objects for clients of 1.31 to 1.33. */
export const volumeAttributesClassesV1beta1: ResourceType<VolumeAttributesClassV1beta1> = {
  ...names,
  version: "v1beta1",
};
