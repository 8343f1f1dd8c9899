import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { atomicList, bool, keyedList } from "../../../schema/types.ts";
import { LocalObjectReference, ObjectReference } from "../references.ts";

export const ServiceAccount = kind(
  "io.k8s.api.core.v1.ServiceAccount",
  "A ServiceAccount is an identity for the processes in pods.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    secrets: field(
      2,
      keyedList(ObjectReference, ["name"]),
      "Secrets for the account's pods. The API server does not restrict pods to this list.",
    ),
    imagePullSecrets: field(
      3,
      atomicList(LocalObjectReference),
      "Secrets with the credentials for pulling the images of the account's pods.",
    ),
    automountServiceAccountToken: field(
      4,
      bool,
      "Mounts an API token into the account's pods unless false. The setting of a pod takes precedence.",
    ),
  }),
);
export type ServiceAccount = z.infer<typeof ServiceAccount>;
