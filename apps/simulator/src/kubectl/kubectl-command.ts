import type { Taint } from "@kintsugi/api";

/** A command line of kubectl, as supported by the playground's command bar. */
export type KubectlCommand =
  | {
      readonly is: "get";
      readonly target: KubectlTarget;
      readonly output: Output;
      readonly selector: string;
      readonly fieldSelector: string;
      readonly showsLabels: boolean;
    }
  | { readonly is: "describe" | "edit"; readonly target: KubectlTarget }
  | {
      readonly is: "logs";
      readonly namespace: string;
      /** The pod, or the Job, Deployment or other owner whose first pod is meant. */
      readonly owner: { readonly type: string; readonly name: string };
      readonly container: string;
      readonly allContainers: boolean;
      readonly tailLines: number | undefined;
      readonly previous: boolean;
    }
  | { readonly is: "explain"; readonly path: readonly string[] }
  | { readonly is: "events"; readonly namespace: string; readonly about: string }
  | { readonly is: "scale"; readonly target: KubectlTarget; readonly replicas: number }
  | { readonly is: "cordon" | "uncordon"; readonly node: string }
  | {
      readonly is: "drain";
      readonly node: string;
      readonly ignoresDaemonSets: boolean;
      readonly deletesEmptyDirs: boolean;
      readonly force: boolean;
    }
  | { readonly is: "delete"; readonly target: KubectlTarget; readonly graceSeconds: number | undefined }
  | { readonly is: "apply"; readonly namespace: string }
  | {
      readonly is: "taint";
      readonly nodes: readonly string[];
      readonly taints: TaintChange;
      readonly overwrite: boolean;
    }
  | { readonly is: "rollout"; readonly action: RolloutAction; readonly target: KubectlTarget }
  | {
      readonly is: "patch";
      readonly target: KubectlTarget;
      readonly form: PatchForm;
      readonly patch: unknown;
      readonly subresource: string;
    }
  | { readonly is: "set"; readonly target: KubectlTarget; readonly images: Readonly<Record<string, string>> }
  | ({ readonly is: "label" | "annotate" } & MarkedValues)
  | { readonly is: "create"; readonly namespace: string; readonly job: string; readonly cronJob: string };

export interface MarkedValues {
  readonly target: KubectlTarget;
  /** A value, or null to remove the key. */
  readonly values: Readonly<Record<string, string | null>>;
  readonly overwrite: boolean;
}

export const rolloutActions = ["status", "history", "undo", "restart", "pause", "resume"] as const;
export type RolloutAction = (typeof rolloutActions)[number];

/** The media type of each value of `patch --type`. */
export const patchForms = {
  strategic: "application/strategic-merge-patch+json",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
} as const;
type PatchForm = keyof typeof patchForms;

export interface TaintChange {
  readonly added: readonly Taint[];
  /** All taints of the key are removed if the effect is undefined. */
  readonly removed: readonly { readonly key: string; readonly effect: Taint["effect"] | undefined }[];
}

export type Output = "table" | "wide" | "name" | "yaml" | "json";

/** The objects to which a command applies: "pods", "deploy/web", "node node-1 node-2". */
export interface KubectlTarget {
  /** The kind in the user's words. */
  readonly type: string;
  /** Empty for all objects of the kind. */
  readonly names: readonly string[];
  readonly namespace: string;
  readonly allNamespaces: boolean;
}

/** The commands that change the cluster, so that the run is repeated with them. */
const changing: ReadonlySet<KubectlCommand["is"]> = new Set([
  "scale",
  "cordon",
  "uncordon",
  "drain",
  "delete",
  "apply",
  "taint",
  "patch",
  "set",
  "label",
  "annotate",
  "create",
]);
const readingRollouts: ReadonlySet<RolloutAction> = new Set(["status", "history"]);

export function isChange(command: KubectlCommand): boolean {
  return command.is === "rollout" ? !readingRollouts.has(command.action) : changing.has(command.is);
}

/** A command line that cannot be run, with a sentence about the reason. */
export class UnusableCommand extends Error {
  override readonly name = "UnusableCommand";
}
