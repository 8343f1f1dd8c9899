import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, bytes, map, text } from "../../../schema/types.ts";

export const ConfigMap = kind(
  "io.k8s.api.core.v1.ConfigMap",
  "A ConfigMap holds configuration data that pods read as files or environment variables.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    data: field(2, map(text), "Each key maps to a text in UTF-8; keys consist of letters, digits, '-', '_' and '.'."),
    binaryData: field(3, map(bytes), "Each key maps to bytes, encoded in base64; no key may also stand in data."),
    immutable: field(4, bool, "The data cannot be changed once this is true; only the metadata can."),
  }),
);
export type ConfigMap = z.infer<typeof ConfigMap>;
