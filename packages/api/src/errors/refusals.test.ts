import { describe, expect, test } from "vitest";
import { clusterRoles, pods, replicaSets } from "../index.ts";
import { ApiError, isApiError } from "./api-error.ts";
import {
  alreadyExists,
  conflict,
  disruptionBudgetExceeded,
  expiredContinue,
  forbidden,
  internalError,
  invalid,
  notFound,
  preconditionFailed,
  tooLargeResourceVersion,
} from "./refusals.ts";
import { fromStatus, toStatus } from "./status-conversion.ts";

describe("refusals use upstream's words", () => {
  test.each<[ApiError, number, string]>([
    [notFound(pods, "x"), 404, 'pods "x" not found'],
    [notFound(clusterRoles, "x"), 404, 'clusterroles.rbac.authorization.k8s.io "x" not found'],
    [alreadyExists(replicaSets, "x"), 409, 'replicasets.apps "x" already exists'],
    [
      conflict(pods, "x"),
      409,
      'Operation cannot be fulfilled on pods "x": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      preconditionFailed(pods, "x", { field: "UID", expected: "a", actual: "b" }),
      409,
      'Operation cannot be fulfilled on pods "x": Precondition failed: UID in precondition: a, UID in object meta: b',
    ],
    [forbidden(pods, "", "no"), 403, "pods is forbidden: no"],
    [forbidden(pods, "x", "no"), 403, 'pods "x" is forbidden: no'],
    [tooLargeResourceVersion("9", "3"), 504, "Timeout: Too large resource version: 9, current: 3"],
    [disruptionBudgetExceeded("3 of 3"), 429, "Cannot evict pod as it would violate the pod's disruption budget."],
    [internalError("disk"), 500, "Internal error occurred: disk"],
    [
      invalid(replicaSets, "x", [{ field: "spec", reason: "FieldValueRequired", message: "Required value" }]),
      422,
      'ReplicaSet.apps "x" is invalid: spec: Required value',
    ],
  ])("%s", (error, code, message) => {
    expect({ code: error.code, message: error.message }).toEqual({ code, message });
  });

  test("an expired continue token is Gone so that the client starts again", () => {
    expect(expiredContinue()).toMatchObject({ reason: "Expired", code: 410 });
  });
});

describe("a refusal is sent", () => {
  test("as a Status and back", () => {
    const error = notFound(replicaSets, "x");
    expect(toStatus(error)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'replicasets.apps "x" not found',
      reason: "NotFound",
      details: { name: "x", group: "apps", kind: "replicasets" },
      code: 404,
    });
    const back = fromStatus(toStatus(error), 404);
    expect(back).toEqual(error);
    expect(isApiError(back, "NotFound")).toBe(true);
  });

  test("with every existing reason", () => {
    for (const reason of ["Gone", "Timeout", "ServerTimeout", "StorageFull", "Unauthorized"] as const) {
      expect(fromStatus(toStatus(new ApiError(reason, "m")), 0).reason).toBe(reason);
    }
  });

  test("without a body as the meaning of its code", () => {
    expect(fromStatus(undefined, 503)).toMatchObject({ reason: "ServiceUnavailable", code: 503 });
    expect(fromStatus({}, 418).reason).toBe("BadRequest");
    expect(fromStatus({ reason: "Whatever" }, 502).reason).toBe("InternalError");
  });
});
