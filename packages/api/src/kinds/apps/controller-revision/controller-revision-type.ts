import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ControllerRevision } from "./controller-revision.ts";

export const controllerRevisions: ResourceType<ControllerRevision> = {
  group: "apps",
  version: "v1",
  resource: "controllerrevisions",
  singular: "controllerrevision",
  kind: "ControllerRevision",
  namespaced: true,
  shortNames: [],
  categories: [],
};
