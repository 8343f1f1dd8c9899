import type { ResourceType } from "../../../meta/resource-type.ts";
import type { CSIDriver } from "./csi-driver.ts";

export const csiDrivers: ResourceType<CSIDriver> = {
  group: "storage.k8s.io",
  version: "v1",
  resource: "csidrivers",
  singular: "csidriver",
  kind: "CSIDriver",
  namespaced: false,
  shortNames: [],
  categories: [],
};
