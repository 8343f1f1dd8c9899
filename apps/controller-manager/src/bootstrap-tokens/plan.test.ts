import type { Secret } from "@kintsugi/api";
import { expect, test } from "vitest";
import { signedClusterInfo, storedToken } from "./plan.ts";

const encoded = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));

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

test("a Secret is a token if its type, its name and its id say so", () => {
  expect(storedToken(secret())).toEqual({ id: "abcdef", secret: "0123456789abcdef", endsMs: Infinity, signs: true });
  expect(storedToken({ ...secret(), type: "Opaque" })).toBeUndefined();
  expect(storedToken(secret({ "token-id": "fedcba" }))).toBeUndefined();
  expect(storedToken(secret({ expiration: "1970-01-01T00:01:00Z" }))?.endsMs).toBe(60_000);
  expect(storedToken(secret({ expiration: "tomorrow" }))?.endsMs).toBe(0);
});

test("cluster-info carries a signature of each token that signs, and of no other", () => {
  const tokens = [secret(), secret({ "usage-bootstrap-signing": "false" })].flatMap((each) => storedToken(each) ?? []);
  const data = { kubeconfig: "text", other: "stays", "jws-kubeconfig-gone00": "old" };
  const signed = signedClusterInfo(data, [tokens[0]!], 0);
  expect(Object.keys(signed)).toEqual(["kubeconfig", "other", "jws-kubeconfig-abcdef"]);
  expect(signedClusterInfo(signed, [tokens[0]!], 0)).toBe(signed);
  expect(Object.keys(signedClusterInfo(data, [tokens[1]!], 0))).toEqual(["kubeconfig", "other"]);
  expect(Object.keys(signedClusterInfo(data, [{ ...tokens[0]!, endsMs: 5 }], 6))).toEqual(["kubeconfig", "other"]);
});
