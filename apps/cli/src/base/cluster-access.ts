import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Client, type ClusterAccess, ConnectionError, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { version } from "@kintsugi/daemon";
import type { ClusterWay } from "@kintsugi/explanation/commands";
import { createControlClient, findCluster, type KnownCluster, listClusterNames } from "@kintsugi/lab";
import { type CommandContext, CommandError } from "./command.ts";

/** Finds the cluster of that name. @throws CommandError with the existing clusters. */
export async function clusterNamed(name: string): Promise<KnownCluster> {
  const cluster = await findCluster(name);
  if (cluster) return cluster;
  throw new CommandError(noCluster(name, await listClusterNames()));
}

/** Limit on listed clusters, because a host has room for few, and a longer list does not help. */
const namesShownMax = 20;

/** Reports that the cluster does not exist, with the existing clusters. */
export function noCluster(name: string, existing: readonly string[]): string {
  const creates = `\`kintsugi up --name ${name}\` creates it`;
  if (existing.length === 0) return `there is no cluster "${name}", and no other on this host; ${creates}`;
  const more = existing.length > namesShownMax ? ` and ${existing.length - namesShownMax} more` : "";
  const listed = existing.slice(0, namesShownMax).join(", ");
  return `there is no cluster "${name}"; --name chooses one of these: ${listed}${more}; ${creates}`;
}

/**
 * Reports that the cluster's supervisor is not running, so that actions on its machines are
 * impossible.
 */
export function supervisorAway(name: string): CommandError {
  return new CommandError(
    `the supervisor of cluster "${name}" is not running; \`kintsugi start --name ${name}\` starts it again`,
  );
}

/** The User-Agent of this program. */
export const userAgent = `kintsugi-cli/v${version}`;

type ClientDeps = Pick<CommandContext, "clock" | "random">;

/** A client with the cluster's administrator identity. */
export function adminClient(deps: ClientDeps, cluster: KnownCluster): Client {
  return clientWith(deps, loadKubeconfig(cluster.paths.adminKubeconfig));
}

export function clientWith({ clock, random }: ClientDeps, access: ClusterAccess): Client {
  return createHttpClient({ clock, random }, { ...access, userAgent });
}

/** The values of `ClusterOption` and `kubeconfigOption`. */
export interface AccessOptions {
  name: string;
  kubeconfig?: string;
}

/** Returns how a printed command connects to the options' cluster. */
export function wayTo({ name, kubeconfig }: AccessOptions): ClusterWay {
  return kubeconfig === undefined ? { name } : { kubeconfig };
}

/**
 * Returns the access to the options' cluster: the cluster of a kubeconfig, or a cluster of this
 * host.
 */
export async function accessTo({ name, kubeconfig }: AccessOptions): Promise<ClusterAccess> {
  return loadKubeconfig(kubeconfig ?? (await clusterNamed(name)).paths.adminKubeconfig);
}

/**
 * Runs `work` with a client of the options' cluster, which is closed afterwards.
 * @throws CommandError with the remedy if a cluster of this host does not answer.
 */
export async function withClient(
  context: ClientDeps,
  options: AccessOptions,
  work: (client: Client, access: ClusterAccess) => Promise<void>,
): Promise<void> {
  const cluster = options.kubeconfig === undefined ? await clusterNamed(options.name) : undefined;
  if (cluster !== undefined) return withAdmin(context, cluster, work);
  const access = await accessTo(options);
  await using client = closing(clientWith(context, access));
  await work(client.client, access);
}

/**
 * Runs `work` with the administrator's client of a cluster of this host, which is closed
 * afterwards.
 */
export async function withAdmin<T>(
  context: ClientDeps,
  cluster: KnownCluster,
  work: (client: Client, access: ClusterAccess) => Promise<T>,
): Promise<T> {
  const access = loadKubeconfig(cluster.paths.adminKubeconfig);
  await using client = closing(clientWith(context, access));
  try {
    return await work(client.client, access);
  } catch (error) {
    if (error instanceof ConnectionError) throw await whyUnreachable(cluster, error);
    throw error;
  }
}

function closing(client: Client): AsyncDisposable & { client: Client } {
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** Explains why a cluster of this host does not answer, with the command that repairs it. */
export async function whyUnreachable(
  { spec: { name }, paths }: KnownCluster,
  cause: ConnectionError,
): Promise<CommandError> {
  const supervisor = await createControlClient(paths.supervisorSocket).status();
  return new CommandError(
    sayUnreachable({
      name,
      isSupervised: supervisor !== undefined,
      hasRunDirectory: existsSync(paths.run),
      logs: paths.logs,
    }),
    { cause },
  );
}

/** The sentence about a cluster that does not answer. */
export function sayUnreachable(cluster: {
  name: string;
  isSupervised: boolean;
  /** The directory exists from the start of a cluster to its stop. */
  hasRunDirectory: boolean;
  logs: string;
}): string {
  const { name, isSupervised, hasRunDirectory, logs } = cluster;
  const start = `\`kintsugi start --name ${name}\``;
  if (isSupervised)
    return `the API server of cluster "${name}" does not respond; see \`kintsugi status --name ${name}\` and its log in ${logs}`;
  return hasRunDirectory
    ? `cluster "${name}" does not respond, and its supervisor is not running; ${start} starts it again`
    : `cluster "${name}" is stopped; ${start} starts it`;
}

/** The text of the administrator's kubeconfig. */
export function adminKubeconfig(cluster: KnownCluster): Promise<string> {
  return readFile(cluster.paths.adminKubeconfig, "utf8");
}
