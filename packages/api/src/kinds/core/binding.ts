import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, kind, required } from "../../schema/fields.ts";
import { ObjectReference } from "./references.ts";

export const Binding = kind("io.k8s.api.core.v1.Binding", {
  metadata: always(1, ObjectMeta),
  target: required(2, ObjectReference),
});
export type Binding = z.infer<typeof Binding>;
