import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, list, map, text } from "../../../schema/types.ts";

export const UserInfo = object(
  "io.k8s.api.authentication.v1.UserInfo",
  "UserInfo identifies the user that sent a request.",
  () => ({
    username: field(1, text, "The name identifies the user uniquely among all active users."),
    uid: field(2, text, "The UID tells this user from earlier and later users of the same name."),
    groups: field(3, atomicList(text), "The user is a member of these groups."),
    extra: field(4, map(list(text)), "The authenticator may attach further values under keys of its own."),
  }),
);
export type UserInfo = z.infer<typeof UserInfo>;

export const SelfSubjectReviewStatus = object(
  "io.k8s.api.authentication.v1.SelfSubjectReviewStatus",
  "The status holds the attributes of the user that sent the review.",
  () => ({
    userInfo: field(1, UserInfo, "The server recognized the caller as this user."),
  }),
);
export type SelfSubjectReviewStatus = z.infer<typeof SelfSubjectReviewStatus>;

export const SelfSubjectReview = kind(
  "io.k8s.api.authentication.v1.SelfSubjectReview",
  "A SelfSubjectReview returns the user attributes that the server sees in the caller's request.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    status: field(2, SelfSubjectReviewStatus, "The server fills in the attributes of the caller."),
  }),
);
export type SelfSubjectReview = z.infer<typeof SelfSubjectReview>;
