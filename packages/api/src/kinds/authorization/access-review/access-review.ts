import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, list, map, text } from "../../../schema/types.ts";
import { NonResourceAttributes, ResourceAttributes } from "../attributes.ts";

export const SubjectAccessReviewStatus = object(
  "io.k8s.api.authorization.v1.SubjectAccessReviewStatus",
  "The status reports the decision of the authorizer.",
  () => ({
    allowed: required(1, bool, "The action is allowed when this is true."),
    reason: field(2, text, "The authorizer may give a reason for its decision."),
    evaluationError: field(3, text, "An error occurred during the check; a decision may still have been possible."),
    denied: field(
      4,
      bool,
      "The action is denied and no other authorizer may allow it when this is true; an action that is neither allowed nor denied had no opinion.",
    ),
  }),
);
export type SubjectAccessReviewStatus = z.infer<typeof SubjectAccessReviewStatus>;

export const SubjectAccessReviewSpec = object(
  "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
  "The spec describes a user and an action; exactly one of resourceAttributes and nonResourceAttributes must be set.",
  () => ({
    resourceAttributes: field(1, ResourceAttributes, "The action concerns this resource of the API."),
    nonResourceAttributes: field(
      2,
      NonResourceAttributes,
      "The action concerns this path outside the resources of the API.",
    ),
    user: field(3, text, "The review checks the permissions of the user with this name."),
    groups: field(4, atomicList(text), "The user is a member of these groups."),
    extra: field(5, map(list(text)), "The authenticator of the user supplied these further values."),
    uid: field(6, text, "The user has this UID."),
  }),
);
export type SubjectAccessReviewSpec = z.infer<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.SubjectAccessReview",
  "A SubjectAccessReview checks whether a user or group may perform an action.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(2, SubjectAccessReviewSpec, "The spec describes the user and the action."),
    status: field(3, SubjectAccessReviewStatus, "The server fills in its decision."),
  }),
);
export type SubjectAccessReview = z.infer<typeof SubjectAccessReview>;

export const LocalSubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.LocalSubjectAccessReview",
  "A LocalSubjectAccessReview checks whether a user or group may perform an action in one namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(
      2,
      SubjectAccessReviewSpec,
      "The spec describes the user and the action; its namespace must be that of the review.",
    ),
    status: field(3, SubjectAccessReviewStatus, "The server fills in its decision."),
  }),
);
export type LocalSubjectAccessReview = z.infer<typeof LocalSubjectAccessReview>;

export const SelfSubjectAccessReviewSpec = object(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec",
  "The spec describes an action of the caller; exactly one of its fields must be set.",
  () => ({
    resourceAttributes: field(1, ResourceAttributes, "The action concerns this resource of the API."),
    nonResourceAttributes: field(
      2,
      NonResourceAttributes,
      "The action concerns this path outside the resources of the API.",
    ),
  }),
);
export type SelfSubjectAccessReviewSpec = z.infer<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReview",
  "A SelfSubjectAccessReview checks whether the caller may perform an action.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(2, SelfSubjectAccessReviewSpec, "The spec describes the action."),
    status: field(3, SubjectAccessReviewStatus, "The server fills in its decision."),
  }),
);
export type SelfSubjectAccessReview = z.infer<typeof SelfSubjectAccessReview>;
