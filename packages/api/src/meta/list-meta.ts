import type { z } from "zod";
import { field, object, required } from "../schema/fields.ts";
import { int64, text } from "../schema/types.ts";

export const ShardInfo = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo",
  "ShardInfo describes the part of a list that a response covers.",
  () => ({
    selector: required(undefined, text, "Shard selector of the request."),
  }),
);
export type ShardInfo = z.infer<typeof ShardInfo>;

export const ListMeta = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
  "ListMeta is the metadata of a list.",
  () => ({
    selfLink: field(1, text, "Deprecated and no longer set."),
    resourceVersion: field(2, text, "Resource version of the list. A watch can start from this version."),
    continue: field(3, text, "Token for requesting the next objects. Unset if there are no more objects."),
    remainingItemCount: field(
      4,
      int64,
      "Number of objects that follow in the list. Unset if the server does not have this number.",
    ),
    shardInfo: field(undefined, ShardInfo, "Part of the list that the response covers, if the request was sharded."),
  }),
);
export type ListMeta = z.infer<typeof ListMeta>;
