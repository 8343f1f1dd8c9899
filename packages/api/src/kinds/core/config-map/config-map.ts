import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, bytes, map, text } from "../../../schema/types.ts";

export const ConfigMap = kind(
  "io.k8s.api.core.v1.ConfigMap",
  "A ConfigMap contains configuration data that pods read as files or environment variables.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    data: field(2, map(text), "Data in UTF-8, by key. Keys consist of letters, digits, '-', '_' and '.'."),
    binaryData: field(3, map(bytes), "Binary data in base64, by key. The keys must differ from the keys in data."),
    immutable: field(4, bool, "Makes the data and this field immutable if true. The metadata can still be changed."),
  }),
);
export type ConfigMap = z.infer<typeof ConfigMap>;
