import type { Namespace } from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { finalizerReasons } from "../words/finalizers.ts";
import { kubectlCommand } from "../words/commands.ts";
import { sentence, aboutObject } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";

/** Conditions that name the remaining content of a deleted namespace. */
const rest = new Set([
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
  "NamespaceDeletionContentFailure",
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
]);

export function namespaceReasons(namespace: Namespace): ExplainedReason[] {
  if (namespace.metadata.deletionTimestamp === undefined) return [];
  const about = aboutObject("Namespace", namespace);
  const { name } = about;
  const held = (namespace.status?.conditions ?? []).filter(({ type, status }) => rest.has(type) && status === "True");
  const foreign = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== "kubernetes");
  return [
    ...finalizerReasons(about, [...foreign, ...(namespace.metadata.finalizers ?? [])]),
    {
      code: "Terminating",
      about,
      because:
        held.length === 0
          ? "It was deleted, and its content is being deleted."
          : "It was deleted, and some objects in it still exist.",
      details: held.map(({ message }) => sentence(message ?? "")),
      ...sinceOf(namespace.metadata.deletionTimestamp),
      awaits: "all objects in it to be removed",
      next: "The namespace is removed with the last of these objects.",
      remedies: [
        { does: "See the remaining pods, and explain one of them", command: kubectlCommand(name, "get", "pods") },
        {
          does: "See all remaining objects",
          command: `kubectl api-resources --verbs=list --namespaced -o name | xargs -n 1 kubectl get -n ${name} --ignore-not-found --show-kind`,
        },
      ],
    },
  ];
}
