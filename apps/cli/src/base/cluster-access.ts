import { readFile } from "node:fs/promises";
import { type Client, type ClusterAccess, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { findCluster, type KnownCluster } from "@kintsugi/lab";
import { type CommandContext, CommandError } from "./command.ts";

/** The cluster of that name. @throws CommandError when there is none. */
export async function clusterNamed(name: string): Promise<KnownCluster> {
  const cluster = await findCluster(name);
  if (cluster) return cluster;
  throw new CommandError(`there is no cluster "${name}"; \`kintsugi up --name ${name}\` creates it`);
}

/** The User-Agent of this program. */
export const userAgent = "kintsugi-cli/v0.1.0";

type ClientDeps = Pick<CommandContext, "clock" | "random">;

/** A client with the cluster's administrator identity. */
export function adminClient(deps: ClientDeps, cluster: KnownCluster): Client {
  return clientWith(deps, loadKubeconfig(cluster.paths.adminKubeconfig));
}

export function clientWith({ clock, random }: ClientDeps, access: ClusterAccess): Client {
  return createHttpClient({ clock, random }, { ...access, userAgent });
}

/** The values of `nameOption` and `kubeconfigOption`. */
export interface AccessOptions {
  name: string;
  kubeconfig?: string;
}

/** The option of commands that work on any cluster; beside `nameOption`. */
export const kubeconfigOption = ["--kubeconfig <file>", "a cluster that is not on this host: how to reach it"] as const;

/** Returns the access to the options' cluster: that of a kubeconfig, or one of this host. */
export async function accessTo({ name, kubeconfig }: AccessOptions): Promise<ClusterAccess> {
  return loadKubeconfig(kubeconfig ?? (await clusterNamed(name)).paths.adminKubeconfig);
}

/** Runs `work` with a client of the options' cluster, which is closed afterwards. */
export async function withClient(
  context: ClientDeps,
  options: AccessOptions,
  work: (client: Client, access: ClusterAccess) => Promise<void>,
): Promise<void> {
  const access = await accessTo(options);
  const client = clientWith(context, access);
  try {
    await work(client, access);
  } finally {
    await client.close();
  }
}

/** The cluster's name in kubeconfigs, as kind's "kind-<name>". */
export function contextName(name: string): string {
  return `kintsugi-${name}`;
}

/** The text of the administrator's kubeconfig. */
export function adminKubeconfig(cluster: KnownCluster): Promise<string> {
  return readFile(cluster.paths.adminKubeconfig, "utf8");
}
