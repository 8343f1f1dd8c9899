import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, bytes, map, text } from "../../../schema/types.ts";

export const Secret = kind(
  "io.k8s.api.core.v1.Secret",
  "A Secret contains at most 1 MiB of sensitive data, such as passwords and keys.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    data: field(2, map(bytes), "Data in base64, by key. Keys consist of letters, digits, '-', '_' and '.'."),
    type: field(3, text, "Type of the data, such as kubernetes.io/tls. Defaults to Opaque."),
    stringData: field(
      4,
      map(text),
      "Data in plain text, by key. The server merges the data into the field data on writes, and never returns this field.",
    ),
    immutable: field(5, bool, "Makes the data and this field immutable if true. The metadata can still be changed."),
  }),
);
export type Secret = z.infer<typeof Secret>;
