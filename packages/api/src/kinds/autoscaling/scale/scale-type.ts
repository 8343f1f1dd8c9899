import type { SubresourceType } from "../../../meta/resource-type.ts";
import type { Scale } from "./scale.ts";

export const scale: SubresourceType<Scale> = {
  group: "autoscaling",
  version: "v1",
  subresource: "scale",
  kind: "Scale",
};
