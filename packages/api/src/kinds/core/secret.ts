import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind } from "../../schema/fields.ts";
import { bool, bytes, map, text } from "../../schema/types.ts";

export const Secret = kind("io.k8s.api.core.v1.Secret", {
  metadata: always(1, ObjectMeta),
  data: field(2, map(bytes)),
  type: field(3, text),
  stringData: field(4, map(text)),
  immutable: field(5, bool),
});
export type Secret = z.infer<typeof Secret>;
