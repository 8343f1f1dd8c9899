import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, int32, oneOf, text } from "../schema/types.ts";
import { ListMeta } from "./list-meta.ts";

export const StatusCause = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause",
  "StatusCause is one cause of a failure.",
  () => ({
    reason: field(1, text, "Machine-readable reason, one CamelCase word."),
    message: field(2, text, "Human-readable description of the cause."),
    field: field(3, text, "Path of the field that caused the failure, such as spec.containers[0].name."),
  }),
);
export type StatusCause = z.infer<typeof StatusCause>;

export const StatusDetails = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails",
  "StatusDetails describes the object and the causes of a failure.",
  () => ({
    name: field(1, text, "Name of the object."),
    group: field(2, text, "API group of the object."),
    kind: field(3, text, "Kind or resource of the object."),
    causes: field(4, atomicList(StatusCause), "Causes of the failure."),
    retryAfterSeconds: field(5, int32, "Time after which the client should retry the request, in seconds."),
    uid: field(6, text, "UID of the object."),
  }),
);
export type StatusDetails = z.infer<typeof StatusDetails>;

export const Status = kind(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
  "Status is the response to a request that does not return an object, in most cases a failure.",
  () => ({
    metadata: field(1, ListMeta, "Metadata of the response."),
    status: field(2, oneOf("Success", "Failure"), "Outcome of the request: Success or Failure."),
    message: field(3, text, "Human-readable description of the outcome."),
    reason: field(4, text, "Reason for a failure, one CamelCase word such as NotFound."),
    details: field(5, StatusDetails, "Object and causes of a failure."),
    code: field(6, int32, "HTTP status code of the response."),
  }),
);
export type Status = z.infer<typeof Status>;
