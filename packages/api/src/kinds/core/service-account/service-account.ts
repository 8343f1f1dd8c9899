import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { atomicList, bool, keyedList } from "../../../schema/types.ts";
import { LocalObjectReference, ObjectReference } from "../references.ts";

export const ServiceAccount = kind(
  "io.k8s.api.core.v1.ServiceAccount",
  "An identity for the processes in pods.",
  () => ({
    metadata: always(1, ObjectMeta),
    secrets: field(2, keyedList(ObjectReference, ["name"]), "Secrets that its pods may use."),
    imagePullSecrets: field(3, atomicList(LocalObjectReference), "Credentials with which its pods' images are pulled."),
    automountServiceAccountToken: field(4, bool, "Whether its pods get a token by default."),
  }),
);
export type ServiceAccount = z.infer<typeof ServiceAccount>;
