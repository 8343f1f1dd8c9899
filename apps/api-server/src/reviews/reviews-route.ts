import {
  type ApiObject,
  badRequest,
  formatTimestamp,
  type Kind,
  type LocalSubjectAccessReview,
  localSubjectAccessReviewKind,
  type NonResourceAttributes,
  type ResourceAttributes,
  type ResourceType,
  type SelfSubjectAccessReview,
  selfSubjectAccessReviewKind,
  type SelfSubjectReview,
  selfSubjectReviewKind,
  selfSubjectReviewV1beta1Kind,
  selfSubjectRulesReviewKind,
  type SubjectAccessReview,
  subjectAccessReviewKind,
  type TokenReview,
  tokenReviewKind,
} from "@kintsugi/api";
import type { BuiltInResource } from "../built-in-route.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { parseObjectBody } from "../http/body.ts";
import { negotiate } from "../http/negotiate.ts";
import type { AuthorizationAttributes, UserInfo } from "../authorization/authorization.ts";
import { userFieldsOf } from "../authorization/user-fields.ts";
import { decodeObject } from "../request/decode-object.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { readWriteOptions } from "../request/write-options.ts";
import type { ServerContext } from "../server-context.ts";
import { type PostedObject, postedResponse } from "./posted-response.ts";

interface ReviewCall {
  context: ServerContext;
  request: ApiRequest;
  info: RequestInfo;
  user: UserInfo;
}

type Review = (call: ReviewCall) => PostedObject;

/**
 * Kinds that are posted and answered but not stored: reviews of access, of the caller's own
 * identity, and of tokens.
 */
export function createReviewsRoutes(context: ServerContext): BuiltInResource[] {
  const reviews: readonly (readonly [ResourceType, Review])[] = [
    [selfSubjectAccessReviewKind.type, reviewOwnAccess],
    [subjectAccessReviewKind.type, reviewAccess],
    [localSubjectAccessReviewKind.type, reviewLocalAccess],
    [selfSubjectRulesReviewKind.type, reviewOwnRules],
    [selfSubjectReviewKind.type, (call) => reviewSelf(call, selfSubjectReviewKind)],
    [tokenReviewKind.type, reviewToken],
    // kubectl 1.27 supports only this version.
    [selfSubjectReviewV1beta1Kind.type, (call) => reviewSelf(call, selfSubjectReviewV1beta1Kind)],
  ];
  return reviews.map(([type, review]) => ({
    type,
    verbs: {
      create: (request, info, user) => {
        const form = negotiate(request.headers["accept"], context.encodings.offers.posted);
        return postedResponse(review({ context, request, info, user }), form);
      },
    },
  }));
}

function decode<T extends ApiObject>(call: ReviewCall, kind: Kind<T>): T {
  const options = readWriteOptions(call.request, call.info);
  const body = parseObjectBody(call.request, call.context);
  return decodeObject(body.object, kind, { ...options, duplicates: [], warnings: [] });
}

function reviewOwnAccess(call: ReviewCall): SelfSubjectAccessReview {
  const review = decode(call, selfSubjectAccessReviewKind);
  return { ...review, status: decide(call, call.user, review.spec) };
}

function reviewAccess(call: ReviewCall): SubjectAccessReview {
  const review = decode(call, subjectAccessReviewKind);
  return { ...review, status: decide(call, subjectOf(review.spec), review.spec) };
}

function reviewLocalAccess(call: ReviewCall): LocalSubjectAccessReview {
  const review = decode(call, localSubjectAccessReviewKind);
  if (review.spec.resourceAttributes?.namespace !== call.info.namespace) {
    throw badRequest("spec.resourceAttributes.namespace must match metadata.namespace");
  }
  return { ...review, status: decide(call, subjectOf(review.spec), review.spec) };
}

function subjectOf(spec: SubjectAccessReview["spec"]): UserInfo {
  if ((spec.user ?? "") === "" && (spec.groups ?? []).length === 0) {
    throw badRequest("at least one of user or group must be specified");
  }
  return { name: spec.user ?? "", groups: spec.groups ?? [] };
}

interface Asked {
  resourceAttributes?: ResourceAttributes | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
}

function decide(call: ReviewCall, user: UserInfo, asked: Asked) {
  const { resourceAttributes: resource, nonResourceAttributes: path } = asked;
  if ((resource === undefined) === (path === undefined)) {
    throw badRequest("exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  const attributes: AuthorizationAttributes = {
    user,
    verb: resource?.verb ?? path?.verb ?? "",
    group: resource?.group ?? "",
    version: resource?.version ?? "",
    resource: resource?.resource ?? "",
    subresource: resource?.subresource ?? "",
    namespace: resource?.namespace ?? "",
    name: resource?.name ?? "",
    path: path?.path ?? "",
    fieldSelector: resource?.fieldSelector?.rawSelector ?? "",
    labelSelector: resource?.labelSelector?.rawSelector ?? "",
  };
  const { allowed, reason } = call.context.authorizer.authorize(attributes);
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

function reviewOwnRules(call: ReviewCall): PostedObject {
  const review = decode(call, selfSubjectRulesReviewKind);
  const namespace = review.spec.namespace ?? "";
  if (namespace === "") throw badRequest("no namespace on request");
  const rules = call.context.authorizer.rulesFor(call.user, namespace);
  return { ...review, status: { ...rules, incomplete: false } };
}

function reviewSelf(call: ReviewCall, kind: Kind<SelfSubjectReview>): SelfSubjectReview {
  const review = decode(call, kind);
  return {
    ...review,
    metadata: { ...review.metadata, creationTimestamp: formatTimestamp(call.context.clock.nowMs()) },
    status: { userInfo: userFieldsOf(call.user) },
  };
}

/** Authenticates a token that was presented to another server, such as a kubelet. */
function reviewToken(call: ReviewCall): TokenReview {
  const { tokens } = call.context;
  const review = decode(call, tokenReviewKind);
  const { token, audiences: asked = [] } = review.spec;
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const ofThisServer = tokens?.audiences ?? [];
  const audiences = asked.length === 0 ? ofThisServer : asked;
  const account = tokens?.authenticateFor(token, audiences);
  // Other tokens have no cluster audience. They are valid where this server's own tokens are valid.
  const shared = audiences.filter((audience) => ofThisServer.includes(audience));
  const isForThisServer = account === undefined && (asked.length === 0 || shared.length > 0);
  const other = isForThisServer ? call.context.findBearer(token) : undefined;
  const found = account ?? (other && { user: other, audiences: shared });
  if (found === undefined) return { ...review, status: { authenticated: false } };
  const user = userFieldsOf(found.user);
  return { ...review, status: { authenticated: true, user, audiences: [...found.audiences] } };
}
