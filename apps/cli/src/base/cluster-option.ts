import { clusterName, defaultClusterName } from "@kintsugi/lab";
import { Option } from "commander";
import { parseOne } from "./option-values.ts";

/** A command that changes a cluster prints its name, unless the user has named it. */
export type ClusterUse = "reads" | "changes";

/**
 * The option with the name of the cluster. If the command line has no value, the value is chosen
 * before the command's work.
 */
export class ClusterOption extends Option {
  readonly use: ClusterUse;

  constructor(use: ClusterUse, flags = "-n, --name <name>") {
    super(
      flags,
      `name of the cluster (default: $KINTSUGI_NAME, else the cluster of kubectl's current context, else ${defaultClusterName})`,
    );
    this.use = use;
    this.argParser(parseOne(clusterName));
  }
}

/** The option of commands that work on any cluster, in addition to `ClusterOption`. */
export const kubeconfigOption = ["--kubeconfig <file>", "kubeconfig of a cluster on another machine"] as const;
