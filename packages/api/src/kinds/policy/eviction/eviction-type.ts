import type { SubresourceType } from "../../../meta/resource-type.ts";
import type { Eviction } from "./eviction.ts";

export const eviction: SubresourceType<Eviction> = {
  group: "policy",
  version: "v1",
  subresource: "eviction",
  kind: "Eviction",
};
