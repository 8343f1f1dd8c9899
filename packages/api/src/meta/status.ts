import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, int32, oneOf, text } from "../schema/types.ts";
import { ListMeta } from "./list-meta.ts";

export const StatusCause = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause",
  "A cause gives one reason for a failure.",
  () => ({
    reason: field(1, text, "One CamelCase word gives the reason, in a form for programs."),
    message: field(2, text, "A text for people describes the cause."),
    field: field(3, text, "The cause is about this field of the object, such as spec.containers[0].name."),
  }),
);
export type StatusCause = z.infer<typeof StatusCause>;

export const StatusDetails = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails",
  "The details describe the object and the causes of a failure.",
  () => ({
    name: field(1, text, "The status is about the object with this name."),
    group: field(2, text, "The object belongs to this API group."),
    kind: field(3, text, "The object is of this kind or resource."),
    causes: field(4, atomicList(StatusCause), "Each entry gives one cause of the failure."),
    retryAfterSeconds: field(5, int32, "The client should retry the request after this many seconds."),
    uid: field(6, text, "The status is about the object with this UID."),
  }),
);
export type StatusDetails = z.infer<typeof StatusDetails>;

export const Status = kind(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
  "Status is the response to a request that returns no object, most often a failure.",
  () => ({
    metadata: field(1, ListMeta, "Metadata holds the standard metadata of a list."),
    status: field(2, oneOf("Success", "Failure"), "The outcome of the request is Success or Failure."),
    message: field(3, text, "A text for people describes the outcome."),
    reason: field(4, text, "One CamelCase word gives the reason for a failure, such as NotFound."),
    details: field(5, StatusDetails, "The details describe the object and the causes of a failure."),
    code: field(6, int32, "The response has this HTTP status code."),
  }),
);
export type Status = z.infer<typeof Status>;
