import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, list, map, text } from "../../../schema/types.ts";

export const UserInfo = object(
  "io.k8s.api.authentication.v1.UserInfo",
  "UserInfo identifies the user who sent a request.",
  () => ({
    username: field(1, text, "Name of the user, unique among all active users."),
    uid: field(2, text, "UID of the user, which differs from the UIDs of earlier and later users with the same name."),
    groups: field(3, atomicList(text), "Groups that the user is a member of."),
    extra: field(4, map(list(text)), "Additional attributes of the user from the authenticator, by key."),
  }),
);
export type UserInfo = z.infer<typeof UserInfo>;

export const SelfSubjectReviewStatus = object(
  "io.k8s.api.authentication.v1.SelfSubjectReviewStatus",
  "Attributes of the user who sent the review.",
  () => ({
    userInfo: field(1, UserInfo, "User that the server authenticated as the caller."),
  }),
);
export type SelfSubjectReviewStatus = z.infer<typeof SelfSubjectReviewStatus>;

export const SelfSubjectReview = kind(
  "io.k8s.api.authentication.v1.SelfSubjectReview",
  "A SelfSubjectReview returns the user attributes that the server sees in the caller's request.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata of the review, which is not stored."),
    status: field(2, SelfSubjectReviewStatus, "Attributes of the caller, set by the server."),
  }),
);
export type SelfSubjectReview = z.infer<typeof SelfSubjectReview>;
