import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, bytes, map, text } from "../../../schema/types.ts";

export const ConfigMap = kind("io.k8s.api.core.v1.ConfigMap", "Settings that pods read as files or variables.", () => ({
  metadata: always(1, ObjectMeta),
  data: field(2, map(text), "Texts by key."),
  binaryData: field(3, map(bytes), "Bytes by key."),
  immutable: field(4, bool, "Nothing may be changed any more."),
}));
export type ConfigMap = z.infer<typeof ConfigMap>;
