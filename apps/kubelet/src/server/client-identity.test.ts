import { expect, test } from "vitest";
import { type ClientIdentity, isAllowed } from "./client-identity.ts";

const apiServer: ClientIdentity = { name: "kube-apiserver-kubelet-client", groups: ["kubeadm:cluster-admins"] };
const admin: ClientIdentity = { name: "kubernetes-admin", groups: ["system:masters"] };
const prometheus: ClientIdentity = { name: "prometheus", groups: ["system:monitoring"] };
const otherNode: ClientIdentity = { name: "system:node:node-2", groups: ["system:nodes"] };

test.each([
  [apiServer, ["health", "metrics", "pods", "logs"]],
  [admin, ["health", "metrics", "pods", "logs"]],
  [prometheus, ["health", "metrics"]],
  [otherNode, ["health"]],
] as const)("$name may read what is its business", (identity, scopes) => {
  const all = ["health", "metrics", "pods", "logs"] as const;
  expect(all.filter((scope) => isAllowed(identity, scope))).toEqual(scopes);
});
