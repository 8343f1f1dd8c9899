import { apiVersionOf, collectionPath } from "@kintsugi/api";
import { refusedListKind } from "../source/read-documents.ts";
import { rehearsedKinds } from "./rehearsed-kinds.ts";

/** The path of the list of a kind in all namespaces. */
export function listPathOf({ kind: { type } }: (typeof rehearsedKinds)[number]): string {
  return collectionPath(type, "");
}

/**
 * A shell command that writes every list that a rehearsal reads, with kubectl and its user's
 * rights. Raw lists name their kind even when they are empty, so that the absence of objects is
 * known. A refused list is written as a refused list.
 */
export function dumpCommand(): string {
  const lists = rehearsedKinds.map((rehearsed) => {
    const { type } = rehearsed.kind;
    return `${listPathOf(rehearsed)}=${apiVersionOf(type)}=${type.kind}`;
  });
  const refused = `{"apiVersion":"rehearsal.kintsugi.dev/v1","kind":"${refusedListKind}","of":{"apiVersion":"%s","kind":"%s"},"because":"kubectl could not list it"}\\n`;
  return [
    `for list in ${lists.join(" ")}; do`,
    `  IFS== read -r path version kind <<< "$list"`,
    `  kubectl get --raw "$path?resourceVersion=0" || printf '${refused}' "$version" "$kind"`,
    `done > cluster.json`,
  ].join("\n");
}

/** The read-only ClusterRole that rehearsing or recording a live cluster needs, as YAML. */
export function readingRole({ isWatched }: { isWatched: boolean } = { isWatched: false }): string {
  const groups = new Map<string, string[]>();
  for (const { kind } of rehearsedKinds)
    groups.set(kind.type.group, [...(groups.get(kind.type.group) ?? []), kind.type.resource]);
  return [
    "apiVersion: rbac.authorization.k8s.io/v1",
    "kind: ClusterRole",
    "metadata:",
    "  name: kintsugi-rehearse",
    "rules:",
    ...[...groups].flatMap(([group, resources]) => [
      `- apiGroups: ["${group}"]`,
      `  resources: [${resources.map((resource) => `"${resource}"`).join(", ")}]`,
      `  verbs: ["get", "list"${isWatched ? ', "watch"' : ""}]`,
    ]),
  ].join("\n");
}
