import { describe, expect, test } from "vitest";
import { outcomeOf } from "../testing/refusals.ts";
import { parseTarget } from "./request-path.ts";

const pod = "/api/v1/namespaces/default/pods/https:web:8443/proxy";

describe("behind a proxy subresource", () => {
  test.each([
    [pod, "", ""],
    [`${pod}/`, "/", ""],
    [`${pod}//a%2Fb/%25;v=1/c d/`, "//a%2Fb/%25;v=1/c d/", ""],
    [`${pod}/x?a=1&b=%2F?`, "/x", "?a=1&b=%2F?"],
    [`${pod}?`, "", "?"],
    ["/api/v1/namespaces/default/services/web/%70roxy/x", "/x", ""],
    ["/api/v1/nodes/n1/proxy/stats/summary", "/stats/summary", ""],
  ])("%s is forwarded as it was sent", (target, path, query) => {
    const { segments, behindProxy } = parseTarget(target);
    expect(behindProxy).toEqual({ path, query });
    expect(segments.at(-1)).toBe("proxy");
  });

  test.each([
    "/api/v1/namespaces/default/secrets/web/proxy/x",
    "/api/v1/namespaces/default/pods/web/proxies/x",
    "/api/v1/namespaces/proxy",
    "/api/v2/nodes/n1/proxy",
    "/apis/v1/nodes/n1/proxy",
  ])("%s is not such a path", (target) => {
    expect(parseTarget(target).behindProxy).toBeUndefined();
  });

  test.each(["/..", "/../secrets", "/a/%2e%2E/b", "/.", "/a/.%2e", "/..%2f..%2Fx", "/%2e%2e%5cx"])(
    "no parser reads %s as a path outside the prefix",
    (rest) => {
      expect(outcomeOf(() => parseTarget(`${pod}${rest}`))).toBe("refused");
    },
  );

  test("a path may be long, but has a limit", () => {
    expect(parseTarget(`${pod}/${"x".repeat(8191)}`).behindProxy?.path).toHaveLength(8192);
    expect(outcomeOf(() => parseTarget(`${pod}/${"x".repeat(8192)}`))).toBe("refused");
    expect(outcomeOf(() => parseTarget(`/${"x".repeat(2048)}`))).toBe("refused");
    expect(outcomeOf(() => parseTarget("/a".repeat(1025)))).toBe("refused");
  });
});

test.each(["/api//v1", "//", "/a/../b", "/a/%2e%2e", "/a%2fb", "/a;b", "/a%", "/api/v1//", "api"])(
  "%s is rejected",
  (target) => {
    expect(outcomeOf(() => parseTarget(target))).toBe("refused");
  },
);

test.each([
  ["/", []],
  ["/api/", ["api"]],
  ["/api/v1/pods?a=b", ["api", "v1", "pods"]],
])("%s has the segments %j", (target, segments) => {
  expect(parseTarget(target).segments).toEqual(segments);
});
