import { readFile } from "node:fs/promises";
import { type Client, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { findCluster, identityFiles, type KnownCluster } from "@kintsugi/lab";
import { type CommandContext, CommandError } from "./commands/command.ts";

/** The cluster of that name. @throws CommandError when there is none. */
export async function clusterNamed(name: string): Promise<KnownCluster> {
  const cluster = await findCluster(name);
  if (cluster) return cluster;
  throw new CommandError(`there is no cluster "${name}"; \`kintsugi up --name ${name}\` makes it`);
}

/** A client with the cluster's administrator identity. */
export function adminClient(
  { clock, random }: Pick<CommandContext, "clock" | "random">,
  cluster: KnownCluster,
): Client {
  return createHttpClient(
    { clock, random },
    { ...loadKubeconfig(cluster.paths.adminKubeconfig), userAgent: "kintsugi-cli/v0.1.0" },
  );
}

/** The cluster's name in kubeconfigs, as kind's "kind-<name>". */
export function contextName(name: string): string {
  return `kintsugi-${name}`;
}

/** The text of the administrator's kubeconfig. */
export function adminKubeconfig(cluster: KnownCluster): Promise<string> {
  return readFile(cluster.paths.adminKubeconfig, "utf8");
}

/** A certificate of the cluster, its key and its authority, as PEM. */
export async function readIdentity(
  cluster: KnownCluster,
  identity: string,
): Promise<{ ca: string; cert: string; key: string }> {
  const { certFile, keyFile, caFile } = identityFiles(cluster.paths.pki, identity);
  const [ca, cert, key] = (await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file, "utf8")))) as [
    string,
    string,
    string,
  ];
  return { ca, cert, key };
}
