import type { z } from "zod";
import { field, object, required } from "../schema/fields.ts";
import { int64, text } from "../schema/types.ts";

export const ShardInfo = object("io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo", {
  selector: required(undefined, text),
});
export type ShardInfo = z.infer<typeof ShardInfo>;

export const ListMeta = object("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta", {
  selfLink: field(1, text),
  resourceVersion: field(2, text),
  continue: field(3, text),
  remainingItemCount: field(4, int64),
  shardInfo: field(undefined, ShardInfo),
});
export type ListMeta = z.infer<typeof ListMeta>;
