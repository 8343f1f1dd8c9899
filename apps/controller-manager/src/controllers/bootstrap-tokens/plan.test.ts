import { readBootstrapToken, type Secret } from "@kintsugi/api";
import { expect, test } from "vitest";
import { signedClusterInfo } from "./plan.ts";

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

test("cluster-info contains a signature by each signing token and by no other token", () => {
  const tokens = [secret(), secret({ "usage-bootstrap-signing": "false" })].flatMap(
    (each) => readBootstrapToken(each) ?? [],
  );
  const data = { kubeconfig: "text", other: "stays", "jws-kubeconfig-gone00": "old" };
  const signed = signedClusterInfo(data, [tokens[0]!], 0);
  expect(Object.keys(signed)).toEqual(["kubeconfig", "other", "jws-kubeconfig-abcdef"]);
  expect(signedClusterInfo(signed, [tokens[0]!], 0)).toBe(signed);
  expect(Object.keys(signedClusterInfo(data, [tokens[1]!], 0))).toEqual(["kubeconfig", "other"]);
  expect(Object.keys(signedClusterInfo(data, [{ ...tokens[0]!, endsMs: 5 }], 6))).toEqual(["kubeconfig", "other"]);
});
