import { ApiError, toStatus } from "@kintsugi/api";
import { expect, test } from "vitest";
import { apiErrorFrom } from "./status-error.ts";

const typo = new ApiError("Unknown", "failed to create typed patch object (/a; /v1, Kind=ConfigMap)");

test.each([
  ["a Status keeps its reason", toStatus(new ApiError("Conflict", "changed")), 409, "Conflict"],
  ["a Status 500 without a reason of its own", toStatus(typo), 500, "Unknown"],
  ["an answer 500 without a Status", "the proxy failed", 500, "InternalError"],
  ["a Status of a proxy without a reason", { kind: "Status", message: "gone", code: 404 }, 404, "NotFound"],
  ["a Status with an invented reason", { kind: "Status", reason: "constructor", code: 409 }, 409, "Conflict"],
] as const)("%s", (_, body, status, reason) => {
  expect(apiErrorFrom(body, status, "GET /a").reason).toBe(reason);
});
