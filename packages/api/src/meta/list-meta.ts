import type { z } from "zod";
import { field, object, required } from "../schema/fields.ts";
import { int64, text } from "../schema/types.ts";

export const ShardInfo = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo",
  "Which part of a list was asked for.",
  () => ({
    selector: required(undefined, text),
  }),
);
export type ShardInfo = z.infer<typeof ShardInfo>;

export const ListMeta = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
  "What every list has: the revision it shows and where to go on.",
  () => ({
    selfLink: field(1, text),
    resourceVersion: field(2, text, "The revision that the list shows; a watch can start here."),
    continue: field(3, text, "Asks for the next part of the list."),
    remainingItemCount: field(4, int64, "How many objects come after this part."),
    shardInfo: field(undefined, ShardInfo),
  }),
);
export type ListMeta = z.infer<typeof ListMeta>;
