import { describe, expect, test } from "vitest";
import { TokenRequest } from "../kinds/authentication/token-request/token-request.ts";
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SubjectAccessReview,
} from "../kinds/authorization/access-review/access-review.ts";
import { Scale } from "../kinds/autoscaling/scale/scale.ts";
import { DeleteOptions } from "../meta/delete-options.ts";
import { collectFaults, type Faults } from "./faults.ts";
import { validateTokenRequest } from "../kinds/authentication/token-request/token-request-rules.ts";
import { validateDeleteOptions } from "./delete-options.ts";
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from "../kinds/authorization/access-review/access-review-validation.ts";
import { validateScale } from "../kinds/autoscaling/scale/scale-validation.ts";

function faultsOf<T>(validate: (value: T, faults: Faults) => void, value: T): string[] {
  return collectFaults((faults) => validate(value, faults)).map(({ field, message }) => `${field}: ${message}`);
}

const resourceAttributes = { verb: "get", resource: "pods", namespace: "a" };

describe("access reviews", () => {
  test("need a resource or a path, and a user", () => {
    const both = { resourceAttributes, nonResourceAttributes: { path: "/x", verb: "get" } };
    expect(
      faultsOf(validateSubjectAccessReview, SubjectAccessReview.parse({ spec: { resourceAttributes, user: "u" } })),
    ).toEqual([]);
    expect(faultsOf(validateSubjectAccessReview, SubjectAccessReview.parse({ spec: both }))).toEqual([
      'spec.nonResourceAttributes: Invalid value: {"path":"/x","verb":"get"}: cannot be specified in combination with resourceAttributes',
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ]);
    expect(faultsOf(validateSelfSubjectAccessReview, SelfSubjectAccessReview.parse({}))).toEqual([
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ]);
  });

  test("in a namespace concern that namespace", () => {
    const spec = { resourceAttributes, groups: ["g"] };
    const review = (namespace: string) => LocalSubjectAccessReview.parse({ metadata: { namespace }, spec });
    expect(faultsOf(validateLocalSubjectAccessReview, review("a"))).toEqual([]);
    expect(faultsOf(validateLocalSubjectAccessReview, review("b"))).toEqual([
      'spec.resourceAttributes.namespace: Invalid value: "a": must match metadata.namespace',
    ]);
  });
});

test("a token is valid for at least ten minutes", () => {
  const request = (expirationSeconds: number) => TokenRequest.parse({ spec: { audiences: [], expirationSeconds } });
  expect(faultsOf(validateTokenRequest, request(600))).toEqual([]);
  expect(faultsOf(validateTokenRequest, request(599))).toEqual([
    "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
  ]);
  expect(faultsOf(validateTokenRequest, request(2 ** 32 + 1))).toHaveLength(1);
});

test("delete options name one way to treat dependents", () => {
  expect(
    faultsOf(validateDeleteOptions, DeleteOptions.parse({ propagationPolicy: "Orphan", dryRun: ["All"] })),
  ).toEqual([]);
  const wrong = DeleteOptions.parse({ propagationPolicy: "Sideways", orphanDependents: true, dryRun: ["Some"] });
  expect(faultsOf(validateDeleteOptions, wrong)).toEqual([
    'propagationPolicy: Invalid value: "Sideways": orphanDependents and deletionPropagation cannot be both set',
    'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    'dryRun[0]: Unsupported value: "Some": supported values: "All"',
  ]);
});

test("a scale below zero is rejected", () => {
  expect(faultsOf(validateScale, Scale.parse({ spec: { replicas: 0 } }))).toEqual([]);
  expect(faultsOf(validateScale, Scale.parse({ spec: { replicas: -1 } }))).toHaveLength(1);
});
