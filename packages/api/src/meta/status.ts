import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, int32, oneOf, text } from "../schema/types.ts";
import { ListMeta } from "./list-meta.ts";

export const StatusCause = object("io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause", {
  reason: field(1, text),
  message: field(2, text),
  field: field(3, text),
});
export type StatusCause = z.infer<typeof StatusCause>;

export const StatusDetails = object("io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails", {
  name: field(1, text),
  group: field(2, text),
  kind: field(3, text),
  causes: field(4, atomicList(StatusCause)),
  retryAfterSeconds: field(5, int32),
  uid: field(6, text),
});
export type StatusDetails = z.infer<typeof StatusDetails>;

export const Status = kind("io.k8s.apimachinery.pkg.apis.meta.v1.Status", {
  metadata: field(1, ListMeta),
  status: field(2, oneOf("Success", "Failure")),
  message: field(3, text),
  reason: field(4, text),
  details: field(5, StatusDetails),
  code: field(6, int32),
});
export type Status = z.infer<typeof Status>;
