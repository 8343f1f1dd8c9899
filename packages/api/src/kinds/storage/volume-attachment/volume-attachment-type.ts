import type { ResourceType } from "../../../meta/resource-type.ts";
import type { VolumeAttachment } from "./volume-attachment.ts";

export const volumeAttachments: ResourceType<VolumeAttachment> = {
  group: "storage.k8s.io",
  version: "v1",
  resource: "volumeattachments",
  singular: "volumeattachment",
  kind: "VolumeAttachment",
  namespaced: false,
  shortNames: [],
  categories: [],
};
