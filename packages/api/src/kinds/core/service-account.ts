import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind } from "../../schema/fields.ts";
import { atomicList, bool, keyedList } from "../../schema/types.ts";
import { LocalObjectReference, ObjectReference } from "./references.ts";

export const ServiceAccount = kind("io.k8s.api.core.v1.ServiceAccount", {
  metadata: always(1, ObjectMeta),
  secrets: field(2, keyedList(ObjectReference, ["name"])),
  imagePullSecrets: field(3, atomicList(LocalObjectReference)),
  automountServiceAccountToken: field(4, bool),
});
export type ServiceAccount = z.infer<typeof ServiceAccount>;
