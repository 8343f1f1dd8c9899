import { describe, expect, test } from "vitest";
import { type FailedAttempt, parseRetryAfter, planRetry } from "./retry.ts";

describe("the decision to retry a failed attempt", () => {
  const repeatable: FailedAttempt = { kind: "connection", repeatable: true };
  const refused = (status: number, retryAfterSeconds?: number): FailedAttempt => ({
    kind: "refused",
    status,
    retryAfterSeconds,
  });

  test.each<[string, number, FailedAttempt, number | undefined]>([
    ["a broken read is tried again soon", 1, repeatable, 50],
    ["then later", 2, repeatable, 125],
    ["a read that breaks again is tried again later", 4, repeatable, 781.25],
    ["a broken read is not retried forever", 5, repeatable, undefined],
    ["a write that may have been done is not repeated", 1, { kind: "connection", repeatable: false }, undefined],
    ["a server that requests a delay gets it", 1, refused(429, 2), 2000],
    ["a server that is starting also gets the delay", 3, refused(503, 1), 1000],
    ["a delay of zero still means a moment", 1, refused(429, 0), 50],
    ["a refusal without Retry-After is final", 1, refused(429), undefined],
    ["a refusal of the request is final, whatever headers it has", 1, refused(409, 1), undefined],
    ["no wait takes minutes", 1, refused(429, 31), undefined],
    ["patience ends", 11, refused(429, 1), undefined],
  ])("%s", (_, ...[attempt, failed, retryAfterMs]) => {
    expect(planRetry(attempt, failed, 0)).toEqual(retryAfterMs === undefined ? { giveUp: true } : { retryAfterMs });
  });

  test("waits are jittered by up to a quarter", () => {
    expect(planRetry(1, refused(429, 4), 0.999)).toEqual({ retryAfterMs: expect.closeTo(4999, 0) as number });
  });

  test.each([
    ["3", 3],
    ["0", 0],
    [undefined, undefined],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
    ["-1", undefined],
  ])("Retry-After %s is %s", (header, seconds) => {
    expect(parseRetryAfter(header)).toBe(seconds);
  });
});
