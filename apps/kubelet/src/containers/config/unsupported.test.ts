import { expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { refuseUnsupported } from "./unsupported.ts";

const container = { name: "c", image: "busybox" };

test.each([
  [{ hostUsers: false }, "hostUsers: false of the pod"],
  [{ securityContext: { appArmorProfile: { type: "Unconfined" } } }, "securityContext.appArmorProfile of the pod"],
] as const)("a pod with %j is rejected", (spec, words) => {
  expect(() => refuseUnsupported(aPod(spec), container)).toThrow(`${words} is not supported by this kubelet`);
});

test.each([
  {},
  { hostUsers: true },
  { resources: { limits: { memory: "1Gi" } } },
  { resourceClaims: [{ name: "gpu" }] },
])("a pod with %j is accepted", (spec) => {
  expect(() => refuseUnsupported(aPod(spec), container)).not.toThrow();
});
