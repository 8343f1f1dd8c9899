import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { bool, bytes, map, text } from "../../../schema/types.ts";

export const Secret = kind(
  "io.k8s.api.core.v1.Secret",
  "As a ConfigMap, for what not everybody may read. Values are base64 in JSON.",
  () => ({
    metadata: always(1, ObjectMeta),
    data: field(2, map(bytes), "Bytes by key."),
    type: field(3, text, "What the values are, such as kubernetes.io/tls."),
    stringData: field(4, map(text), "Texts by key, to write without base64; never read back."),
    immutable: field(5, bool, "Nothing may be changed any more."),
  }),
);
export type Secret = z.infer<typeof Secret>;
