import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, int32, oneOf, text } from "../schema/types.ts";
import { ListMeta } from "./list-meta.ts";

export const StatusCause = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause",
  "One of the reasons behind a refusal.",
  () => ({
    reason: field(1, text, "What is wrong, in one word."),
    message: field(2, text, "What is wrong, for people."),
    field: field(3, text, "Where it is wrong."),
  }),
);
export type StatusCause = z.infer<typeof StatusCause>;

export const StatusDetails = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails",
  "What a refusal is about.",
  () => ({
    name: field(1, text, "The object's name."),
    group: field(2, text, "The kind's group."),
    kind: field(3, text, "The kind or resource."),
    causes: field(4, atomicList(StatusCause), "Everything that is wrong."),
    retryAfterSeconds: field(5, int32, "When to try again."),
    uid: field(6, text, "The object's identity."),
  }),
);
export type StatusDetails = z.infer<typeof StatusDetails>;

export const Status = kind(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
  "The answer to a request that has no object to answer with, mostly a refusal.",
  () => ({
    metadata: field(1, ListMeta),
    status: field(2, oneOf("Success", "Failure"), "Success or Failure."),
    message: field(3, text, "What happened, for people."),
    reason: field(4, text, "What happened, in one word."),
    details: field(5, StatusDetails, "What it is about."),
    code: field(6, int32, "The HTTP code."),
  }),
);
export type Status = z.infer<typeof Status>;
