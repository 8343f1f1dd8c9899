import type { JsonObject } from "@kintsugi/api";
import { expect } from "vitest";
import { refusedAddresses } from "../../../kubelet/kubelet-tls-dialer.ts";
import type { AdmissionAttributes, AuthorizationAdmission } from "../../admission-attributes.ts";
import type { AuthorizationAttributes } from "../../authorization.ts";
import { nodeRestriction } from "../../index.ts";
import { aNode, aPod, withProjections } from "./node-objects.ts";

const stored: Record<string, JsonObject> = {
  "default/web": withProjections(aPod("node-1"), [{}, { audience: "vault" }]),
  "default/none": aPod("node-1", { name: "none", uid: "none-uid" }),
  "default/foreign": aPod("node-2", { name: "foreign", uid: "foreign-uid" }),
};
const deps = {
  findPod: (namespace: string, name: string) => stored[`${namespace}/${name}`],
  findNode: (name: string) => (name === "node-1" ? aNode() : undefined),
  refusedAddresses: refusedAddresses(["10.0.0.1"]),
  authorizer: {
    authorize: ({ verb, resource, namespace, name }: AuthorizationAttributes) => {
      const asked = `${verb} ${resource} ${namespace} ${name}`;
      return { allowed: asked === "request-serviceaccounts-token-audience granted default bot", reason: "" };
    },
  },
};
const check: AuthorizationAdmission["nodeRestriction"] = nodeRestriction;

/** The rejection of a write in a cluster of two nodes with three pods. */
export function judge(write: AdmissionAttributes): ReturnType<typeof check> {
  return check(write, deps);
}

export function expectAdmitted(write: AdmissionAttributes): void {
  expect(judge(write)).toBeUndefined();
}

export function expectRefused(write: AdmissionAttributes, because: string): void {
  const refusal = judge(write);
  expect(refusal?.code).toBe(403);
  expect(refusal?.message).toMatch(/^[a-z]+(\.[a-z0-9.]+)?( "[^"]+")? is forbidden: /);
  expect(refusal?.message.slice(refusal.message.indexOf(": ") + 2)).toBe(because);
}
