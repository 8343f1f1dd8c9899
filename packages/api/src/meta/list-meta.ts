import type { z } from "zod";
import { field, object, required } from "../schema/fields.ts";
import { int64, text } from "../schema/types.ts";

export const ShardInfo = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo",
  "ShardInfo describes the part of a list that a response covers.",
  () => ({
    selector: required(undefined, text, "The request selected the part by this shard selector."),
  }),
);
export type ShardInfo = z.infer<typeof ShardInfo>;

export const ListMeta = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
  "ListMeta holds the metadata of a list.",
  () => ({
    selfLink: field(1, text, "This field is deprecated and no longer set."),
    resourceVersion: field(2, text, "The list shows this version of the store; a watch can start from it."),
    continue: field(
      3,
      text,
      "The server has more objects if this token is set; a client passes it on to request them.",
    ),
    remainingItemCount: field(
      4,
      int64,
      "This many objects follow in the list; the server omits it if it does not know.",
    ),
    shardInfo: field(undefined, ShardInfo, "The response covers this part of the list, if the request was sharded."),
  }),
);
export type ListMeta = z.infer<typeof ListMeta>;
