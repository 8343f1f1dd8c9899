import type { PolicyRule } from "@kintsugi/api";
import { expect, test } from "vitest";
import { bootstrapPolicy } from "./bootstrap-policy.ts";

interface Binding {
  kind: string;
  metadata: { name: string; namespace?: string };
  roleRef?: { kind: string; name: string };
  subjects?: { kind: string; name: string }[];
  rules?: PolicyRule[];
}

const policy = bootstrapPolicy() as unknown as Binding[];
const user = "system:kube-controller-manager";

/**
 * One line for each verb and resource that the user may use, with the namespace if the right is
 * limited to one namespace.
 */
function effectiveRules(): string[] {
  const lines = policy
    .filter(({ subjects = [] }) => subjects.some(({ kind, name }) => kind === "User" && name === user))
    .flatMap(({ metadata: { namespace }, roleRef }) => {
      const role = policy.find(
        (each) =>
          each.kind === roleRef?.kind &&
          each.metadata.name === roleRef.name &&
          (each.kind === "ClusterRole" || each.metadata.namespace === namespace),
      );
      const where = namespace === undefined ? "" : ` in ${namespace}`;
      return (role?.rules ?? []).flatMap((rule) => linesOf(rule).map((line) => `${line}${where}`));
    });
  return [...new Set(lines)].toSorted();
}

function linesOf({ verbs, apiGroups = [], resources = [], resourceNames = [""] }: PolicyRule): string[] {
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.map((name) => `${group || "core"} ${resource}${name === "" ? "" : ` ${name}`}: ${verb}`),
      ),
    ),
  );
}

test("the controller-manager may do exactly what its controllers declare", async () => {
  await expect(`${effectiveRules().join("\n")}\n`).toMatchFileSnapshot("./controller-manager-rules.txt");
});
