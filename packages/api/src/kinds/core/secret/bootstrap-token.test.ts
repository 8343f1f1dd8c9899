import { expect, test } from "vitest";
import { encodeBase64 } from "../../../values/base64.ts";
import { readBootstrapToken } from "./bootstrap-token.ts";
import type { Secret } from "./secret.ts";

const encoded = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encodeBase64(value)]));

const secret = (more: Record<string, string> = {}): Secret => ({
  metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
  type: "bootstrap.kubernetes.io/token",
  data: encoded({
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-signing": "true",
    ...more,
  }),
});

test("a Secret is a token if its type, its name and its ID match", () => {
  expect(readBootstrapToken(secret())).toEqual({
    id: "abcdef",
    secret: "0123456789abcdef",
    endsMs: Infinity,
    signs: true,
    authenticates: false,
    extraGroups: [],
  });
  expect(readBootstrapToken({ ...secret(), type: "Opaque" })).toBeUndefined();
  expect(readBootstrapToken(secret({ "token-id": "fedcba" }))).toBeUndefined();
  expect(readBootstrapToken(secret({ expiration: "1970-01-01T00:01:00Z" }))?.endsMs).toBe(60_000);
  expect(readBootstrapToken(secret({ expiration: "tomorrow" }))?.endsMs).toBe(0);
});

test("a token names its user and groups", () => {
  const groups = { "auth-extra-groups": "system:bootstrappers:lab,äöü" };
  expect(readBootstrapToken(secret({ "usage-bootstrap-authentication": "true", ...groups }))).toMatchObject({
    authenticates: true,
    extraGroups: ["system:bootstrappers:lab", "äöü"],
  });
});
