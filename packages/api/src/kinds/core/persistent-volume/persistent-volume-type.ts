import type { ResourceType } from "../../../meta/resource-type.ts";
import type { PersistentVolume } from "./persistent-volume.ts";

export const persistentVolumes: ResourceType<PersistentVolume> = {
  group: "",
  version: "v1",
  resource: "persistentvolumes",
  singular: "persistentvolume",
  kind: "PersistentVolume",
  namespaced: false,
  shortNames: ["pv"],
  categories: [],
};
