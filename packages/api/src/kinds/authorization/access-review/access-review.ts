import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, list, map, text } from "../../../schema/types.ts";
import { NonResourceAttributes, ResourceAttributes } from "../attributes.ts";

export const SubjectAccessReviewStatus = object(
  "io.k8s.api.authorization.v1.SubjectAccessReviewStatus",
  "Decision of the authorizer.",
  () => ({
    allowed: required(1, bool, "True if the action is allowed."),
    reason: field(2, text, "Reason for the decision, if the authorizer returns a reason."),
    evaluationError: field(
      3,
      text,
      "Error that occurred during the check. The decision can be valid despite the error.",
    ),
    denied: field(
      4,
      bool,
      "True if the action is denied and no other authorizer may allow the action. If both allowed and denied are false, the authorizer has no opinion.",
    ),
  }),
);
export type SubjectAccessReviewStatus = z.infer<typeof SubjectAccessReviewStatus>;

export const SubjectAccessReviewSpec = object(
  "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
  "User and action to check. Exactly one of resourceAttributes and nonResourceAttributes must be set.",
  () => ({
    resourceAttributes: field(1, ResourceAttributes, "Action on a resource of the API."),
    nonResourceAttributes: field(2, NonResourceAttributes, "Action on a path that is not a resource of the API."),
    user: field(3, text, "Name of the user whose permissions are checked."),
    groups: field(4, atomicList(text), "Groups that the user is a member of."),
    extra: field(5, map(list(text)), "Additional attributes of the user from the authenticator, by key."),
    uid: field(6, text, "UID of the user."),
  }),
);
export type SubjectAccessReviewSpec = z.infer<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.SubjectAccessReview",
  "A SubjectAccessReview checks whether a user or group may perform an action.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata of the review, which is not stored."),
    spec: required(2, SubjectAccessReviewSpec, "User and action to check."),
    status: field(3, SubjectAccessReviewStatus, "Decision of the authorizer, set by the server."),
  }),
);
export type SubjectAccessReview = z.infer<typeof SubjectAccessReview>;

export const LocalSubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.LocalSubjectAccessReview",
  "A LocalSubjectAccessReview checks whether a user or group may perform an action in one namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata of the review, which is not stored."),
    spec: required(
      2,
      SubjectAccessReviewSpec,
      "User and action to check. The namespace must be the review's namespace.",
    ),
    status: field(3, SubjectAccessReviewStatus, "Decision of the authorizer, set by the server."),
  }),
);
export type LocalSubjectAccessReview = z.infer<typeof LocalSubjectAccessReview>;

export const SelfSubjectAccessReviewSpec = object(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec",
  "Action of the caller to check. Exactly one of the fields must be set.",
  () => ({
    resourceAttributes: field(1, ResourceAttributes, "Action on a resource of the API."),
    nonResourceAttributes: field(2, NonResourceAttributes, "Action on a path that is not a resource of the API."),
  }),
);
export type SelfSubjectAccessReviewSpec = z.infer<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReview",
  "A SelfSubjectAccessReview checks whether the caller may perform an action.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata of the review, which is not stored."),
    spec: required(2, SelfSubjectAccessReviewSpec, "Action to check."),
    status: field(3, SubjectAccessReviewStatus, "Decision of the authorizer, set by the server."),
  }),
);
export type SelfSubjectAccessReview = z.infer<typeof SelfSubjectAccessReview>;
