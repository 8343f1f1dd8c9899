import { describe, expect, test } from "vitest";
import { rewriteUrl } from "./rewrite-url.ts";

const prefix = "/api/v1/namespaces/default/pods/web:8080/proxy";
const page = { prefix, backendHost: "10.64.1.5:8080", requestHost: "localhost:8001" };

describe("URLs of the server itself lead back through the proxy", () => {
  test.each([
    ["/login", `${prefix}/login`],
    ["/login/?next=%2Fa/#top", `${prefix}/login/?next=%2Fa/#top`],
    ["/", `${prefix}/`],
    ["http://10.64.1.5:8080/login", `${prefix}/login`],
    ["//10.64.1.5:8080/login", `${prefix}/login`],
    ["http://localhost:8001/login", `http://localhost:8001${prefix}/login`],
    ["/a//b/./c/../d", `${prefix}/a/b/d`],
    ["/../../secrets", `${prefix}/secrets`],
  ])("%s", (url, rewritten) => {
    expect(rewriteUrl(url, page)).toBe(rewritten);
  });
});

test.each([
  "",
  "login",
  "../login",
  "#top",
  "?a=b",
  "https://example.org/login",
  "//cdn.example.org/x.js",
  "http://10.64.1.5:8081/",
  "http://10.64.1.5:8080",
  "mailto:jane@example.org",
  "javascript:alert('/x')",
  "data:text/html,/x",
  prefix,
  `${prefix}/login`,
])("%s is not changed", (url) => {
  expect(rewriteUrl(url, page)).toBe(url);
});
