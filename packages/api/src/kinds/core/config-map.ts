import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind } from "../../schema/fields.ts";
import { bool, bytes, map, text } from "../../schema/types.ts";

export const ConfigMap = kind("io.k8s.api.core.v1.ConfigMap", {
  metadata: always(1, ObjectMeta),
  data: field(2, map(text)),
  binaryData: field(3, map(bytes)),
  immutable: field(4, bool),
});
export type ConfigMap = z.infer<typeof ConfigMap>;
