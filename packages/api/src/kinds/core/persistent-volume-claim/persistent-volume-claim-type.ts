import type { ResourceType } from "../../../meta/resource-type.ts";
import type { PersistentVolumeClaim } from "./persistent-volume-claim.ts";

export const persistentVolumeClaims: ResourceType<PersistentVolumeClaim> = {
  group: "",
  version: "v1",
  resource: "persistentvolumeclaims",
  singular: "persistentvolumeclaim",
  kind: "PersistentVolumeClaim",
  namespaced: true,
  shortNames: ["pvc"],
  categories: [],
};
