import { expect, test } from "vitest";
import { errorOf } from "../testing/refusals.ts";
import { parseBackendName } from "./backend-name.ts";

test.each([
  ["web", { scheme: "http", name: "web", port: "" }],
  ["web:8080", { scheme: "http", name: "web", port: "8080" }],
  ["web:metrics", { scheme: "http", name: "web", port: "metrics" }],
  ["http:web:8080", { scheme: "http", name: "web", port: "8080" }],
  ["https:web:", { scheme: "https", name: "web", port: "" }],
  ["https:web:tls", { scheme: "https", name: "web", port: "tls" }],
  [":web:1", { scheme: "http", name: "web", port: "1" }],
])("%s", (text, name) => {
  expect(parseBackendName(text, "pod")).toEqual(name);
});

test.each(["", ":", ":80", "ftp:web:80", "https::443", "a:b:c:d"])("%j is not a backend name", (text) => {
  expect(errorOf(() => parseBackendName(text, "service"))).toMatchObject({
    code: 400,
    message: `invalid service request ${JSON.stringify(text)}`,
  });
});
