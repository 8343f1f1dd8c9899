/** A command line of kubectl, as supported by the playground's command bar. */
export type KubectlCommand =
  | { readonly is: "get"; readonly target: KubectlTarget; readonly output: Output; readonly selector: string }
  | { readonly is: "describe" | "edit"; readonly target: KubectlTarget }
  | {
      readonly is: "logs";
      readonly namespace: string;
      readonly pod: string;
      readonly container: string;
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
  | { readonly is: "apply"; readonly namespace: string };

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
]);

export function isChange({ is }: KubectlCommand): boolean {
  return changing.has(is);
}

/** A command line that cannot be run, with a sentence about the reason. */
export class UnusableCommand extends Error {
  override readonly name = "UnusableCommand";
}
