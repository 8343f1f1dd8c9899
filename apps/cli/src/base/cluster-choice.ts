import { clusterOfContextName } from "@kintsugi/api";
import { kubeconfigPath, loadKubeconfig } from "@kintsugi/client";
import { clusterName, defaultClusterName, findCluster, RootNeeded } from "@kintsugi/lab";
import type { Command as Program } from "commander";
import type { CliConfig } from "../config.ts";
import { ClusterOption, type ClusterUse, kubeconfigOption } from "./cluster-option.ts";

/** The name of a command's cluster, and its source. */
export interface ClusterChoice {
  readonly name: string;
  readonly by: "environment" | "context" | "default";
}

/** Chooses the cluster of a command line without --name. */
export function chooseCluster(seen: { environment: string | undefined; context: string | undefined }): ClusterChoice {
  if (seen.environment !== undefined && seen.environment !== "") return { name: seen.environment, by: "environment" };
  if (seen.context !== undefined) return { name: seen.context, by: "context" };
  return { name: defaultClusterName, by: "default" };
}

/**
 * Returns the cluster of this host to which the current context of a kubeconfig refers; undefined
 * for other contexts. A context of the same name may belong to another host, so the addresses are
 * compared.
 */
export async function clusterOfContext(kubeconfig: string): Promise<string | undefined> {
  const access = currentAccess(kubeconfig);
  const name = access === undefined ? undefined : clusterOfContextName(access.context);
  if (access === undefined || name === undefined) return undefined;
  try {
    const cluster = await findCluster(name);
    return cluster !== undefined && access.server === `https://127.0.0.1:${cluster.spec.apiPort}` ? name : undefined;
  } catch (error) {
    // The command itself then reports the files that this user may not read, with the right name.
    if (error instanceof RootNeeded) return name;
    throw error;
  }
}

/** The contexts of test servers, which are not clusters of the lab. */
const testServerContext = /^kintsugi-test-server(-\d+)?$/;

/**
 * Sets the test server of kubectl's current context for a command that can act on any cluster.
 * Reports whether the server was set.
 */
function chooseTestServer(
  command: Program,
  kubeconfig: string,
  { use, say }: { use: ClusterUse; say: (line: string) => void },
): boolean {
  const context = currentAccess(kubeconfig)?.context;
  if (context === undefined || !testServerContext.test(context)) return false;
  command.setOptionValueWithSource("kubeconfig", kubeconfig, "default");
  if (use === "changes")
    say(`Context "${context}", the current context of kubectl; --kubeconfig chooses another kubeconfig.`);
  return true;
}

/** An unusable kubeconfig is reported by commands that use it. */
function currentAccess(kubeconfig: string): { context: string; server: string } | undefined {
  try {
    return loadKubeconfig(kubeconfig);
  } catch {
    return undefined;
  }
}

/** Chooses the cluster of commands without --name. */
export async function choiceIn(
  { environment }: Pick<CliConfig, "environment">,
  options: { kubeconfig?: string },
): Promise<ClusterChoice> {
  const context = await clusterOfContext(kubeconfigPath(options.kubeconfig, environment));
  return chooseCluster({ environment: environment.KINTSUGI_NAME, context });
}

/**
 * Sets the cluster of a command without --name. A command that changes a cluster which the user has
 * not named prints its name.
 */
export async function completeClusterName(
  command: Program,
  { config, say }: { config: Pick<CliConfig, "environment">; say: (line: string) => void },
): Promise<void> {
  const option = command.options.find((each) => each instanceof ClusterOption);
  const given = command.opts<{ name?: string; kubeconfig?: string; all?: boolean }>();
  if (option === undefined || given.name !== undefined) return;
  const { environment } = config;
  const canLeadElsewhere = command.options.some(isWayElsewhere);
  const isNamed = given.kubeconfig !== undefined || (environment.KINTSUGI_NAME ?? "") !== "";
  const isTestServer =
    canLeadElsewhere &&
    !isNamed &&
    chooseTestServer(command, kubeconfigPath(undefined, environment), { use: option.use, say });
  const choice = await choiceIn(config, given);
  if (choice.by === "environment") refuseBadName(command, choice.name);
  command.setOptionValueWithSource("name", choice.name, choice.by === "environment" ? "env" : "default");
  const isElsewhere = (given.kubeconfig !== undefined && canLeadElsewhere) || isTestServer;
  if (option.use === "reads" || choice.by === "default" || given.all === true || isElsewhere) return;
  const by = choice.by === "context" ? "the current context of kubectl" : "KINTSUGI_NAME";
  say(`Cluster "${choice.name}", by ${by}; --name chooses another cluster.`);
}

/** `down` has the same flag for the kubeconfig that it changes. */
function isWayElsewhere({ description }: { description: string }): boolean {
  return description === kubeconfigOption[1];
}

function refuseBadName(command: Program, name: string): void {
  try {
    clusterName(name);
  } catch (error) {
    command.error(`error: KINTSUGI_NAME: ${(error as Error).message}`);
  }
}
