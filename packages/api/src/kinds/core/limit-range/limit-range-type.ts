import type { ResourceType } from "../../../meta/resource-type.ts";
import type { LimitRange } from "./limit-range.ts";

export const limitRanges: ResourceType<LimitRange> = {
  group: "",
  version: "v1",
  resource: "limitranges",
  singular: "limitrange",
  kind: "LimitRange",
  namespaced: true,
  shortNames: ["limits"],
  categories: [],
};
