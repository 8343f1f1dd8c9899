import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { atomicList, bool, keyedList } from "../../../schema/types.ts";
import { LocalObjectReference, ObjectReference } from "../references.ts";

export const ServiceAccount = kind(
  "io.k8s.api.core.v1.ServiceAccount",
  "A ServiceAccount is an identity for the processes in pods.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    secrets: field(
      2,
      keyedList(ObjectReference, ["name"]),
      "Pods of the account may use these secrets, if the account is restricted to its list.",
    ),
    imagePullSecrets: field(
      3,
      atomicList(LocalObjectReference),
      "The kubelet pulls the images of pods that use the account with these credentials.",
    ),
    automountServiceAccountToken: field(
      4,
      bool,
      "Pods of the account receive an API token by default unless this is false; a pod's own setting takes precedence.",
    ),
  }),
);
export type ServiceAccount = z.infer<typeof ServiceAccount>;
