import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, bytes, map, text } from "../../../schema/types.ts";

export const Secret = kind(
  "io.k8s.api.core.v1.Secret",
  "A Secret holds sensitive data, such as passwords and keys, in at most 1 MiB.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    data: field(
      2,
      map(bytes),
      "Each key maps to bytes, encoded in base64; keys consist of letters, digits, '-', '_' and '.'.",
    ),
    type: field(3, text, "The type states the purpose of the data, such as kubernetes.io/tls; the default is Opaque."),
    stringData: field(
      4,
      map(text),
      "Each key maps to a plain text, which the server merges into data on a write and never returns.",
    ),
    immutable: field(5, bool, "The data cannot be changed once this is true; only the metadata can."),
  }),
);
export type Secret = z.infer<typeof Secret>;
