import { existsSync } from "node:fs";
import { chown, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { contextName } from "@kintsugi/api";
import { trustOf } from "@kintsugi/watch-stream";
import { ensureSeeds } from "../components/bus-files.ts";
import { writeWhole } from "@kintsugi/daemon";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import type { PkiDeps } from "@kintsugi/pki";
import {
  ensureCertificates,
  ensureFrontProxy,
  ensureServiceAccountKey,
  identityKubeconfig,
} from "../components/cluster-pki.ts";
import {
  type IdentityFiles,
  identityFiles,
  readIdentity,
  serviceAccountKeyFile,
} from "../components/identity-files.ts";
import { ensureServerIdentities, etcdClientFiles, etcdFiles, natsRouteFiles } from "../components/server-pki.ts";
import {
  composedApiServerConfig,
  composedApiServers,
  composedApiUrls,
  composedBalancerConfig,
  composedBusServers,
  composedEtcd,
  composedEtcdConfig,
  composedNatsConfig,
  composedServerNames,
} from "./composed-servers.ts";
import {
  composedCertificateRequests,
  type ContainerIdentity,
  containerIdentities,
  filedContainers,
} from "./identities.ts";

export interface WriteIdentitiesOptions {
  spec: ClusterSpec;
  /** The directory of the authority, and of everything it signed; only its owner may read it. */
  authorityDirectory: string;
  /** Contains one directory per container. */
  identitiesDirectory: string;
  /**
   * The directory of the administrator's kubeconfig, for the host; the file gets the directory's
   * owner.
   */
  kubeconfigDirectory: string;
  /** Additional names and addresses under which the API is reached from outside. */
  apiNames: readonly string[];
  /**
   * The number of API servers, 1 or 3. Default 1, a server that stores the objects in its own
   * directory.
   */
  servers?: number;
  /** The port of the host at which the load balancer of several servers is reached. */
  balancerPort?: number;
  /** Contains the data directories of etcd's members, whose owner becomes the member's user. */
  dataDirectory?: string | undefined;
}

/**
 * Writes each container's identity. Repeatable: existing files that are still valid are not
 * changed.
 */
export async function writeIdentities(deps: PkiDeps, options: WriteIdentitiesOptions): Promise<void> {
  const { spec, authorityDirectory, apiNames, servers = 1 } = options;
  const requests = composedCertificateRequests(spec, apiNames, servers);
  await ensureCertificates(deps, requests, authorityDirectory);
  await ensureServiceAccountKey(authorityDirectory);
  await ensureFrontProxy(deps, authorityDirectory);
  const members = composedServerNames(spec, servers);
  if (members.length > 0) await ensureServerIdentities(deps, members, authorityDirectory);
  const seeds = await ensureSeeds(authorityDirectory);
  const trust = trustOf(seeds, deps.clock.nowMs());
  const serverFiles = await apiServerFiles(options);
  const shared = { "nats-account.seed": seeds.accountSeed, ...serverFiles };
  const extras: Record<string, Record<string, string>> = {};
  for (const [index, { name }] of composedApiServers(spec, servers).entries())
    extras[name] = { "api-server.yaml": composedApiServerConfig(spec, servers, index), ...shared };
  for (const [index, name] of composedBusServers(servers).entries()) {
    const route =
      servers === 1 ? {} : await signedFiles(natsRouteFiles(authorityDirectory, { index: index + 1 }), "nats-route");
    extras[name] = { "nats.conf": composedNatsConfig(servers, name, trust), ...route };
  }
  for (const [index, { name, address }] of composedEtcd(spec, servers).entries()) {
    const own = await signedFiles(etcdFiles(authorityDirectory, { index: index + 1 }), "etcd");
    extras[name] = { "etcd.yaml": composedEtcdConfig(spec, servers, address), ...own };
  }
  const { caFile } = identityFiles(authorityDirectory, "api-server");
  extras["balancer"] = {
    "haproxy.cfg": composedBalancerConfig(spec, servers),
    "ca.crt": await readFile(caFile, "utf8"),
  };
  for (const container of containerIdentities(spec, servers)) {
    // Controller-managers sign the tokens in Secrets of service accounts.
    if (container.name.startsWith("controller-manager"))
      extras[container.name] = { "sa.key": serverFiles["sa.key"] ?? "" };
    await writeIdentity(options, container, extras[container.name]);
  }
  for (const { name, uid } of filedContainers(spec, servers)) {
    await writeDirectory(join(options.identitiesDirectory, name), uid, extras[name] ?? {});
    // A new volume belongs to root, and the member runs as another user.
    const data = options.dataDirectory && join(options.dataDirectory, name);
    if (data !== undefined && existsSync(data)) await give(data, uid);
  }
  await writeAdminKubeconfig(options);
}

/** The keys and certificates that every API server has. */
async function apiServerFiles({
  authorityDirectory,
  servers = 1,
}: WriteIdentitiesOptions): Promise<Record<string, string>> {
  const kubeletClient = await readIdentity(authorityDirectory, "api-server-kubelet-client");
  const frontProxy = await readIdentity(authorityDirectory, "front-proxy-client");
  return {
    "sa.key": await readFile(serviceAccountKeyFile(authorityDirectory), "utf8"),
    "kubelet-client.crt": kubeletClient.cert,
    "kubelet-client.key": kubeletClient.key,
    "front-proxy-client.crt": frontProxy.cert,
    "front-proxy-client.key": frontProxy.key,
    "front-proxy-ca.crt": await readFile(identityFiles(authorityDirectory, "front-proxy-ca").certFile, "utf8"),
    ...(servers === 1 ? {} : await signedFiles(etcdClientFiles(authorityDirectory), "etcd-client", "etcd-ca")),
  };
}

/** The files of an identity of another authority, under names of their own in the container. */
async function signedFiles(
  { certFile, keyFile, caFile }: IdentityFiles,
  name: string,
  authority = `${name}-ca`,
): Promise<Record<string, string>> {
  return {
    [`${name}.crt`]: await readFile(certFile, "utf8"),
    [`${name}.key`]: await readFile(keyFile, "utf8"),
    [`${authority}.crt`]: await readFile(caFile, "utf8"),
  };
}

async function writeIdentity(
  options: WriteIdentitiesOptions,
  container: ContainerIdentity,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { name, uid } = container;
  const { spec, servers = 1 } = options;
  const { ca, cert, key } = await readIdentity(options.authorityDirectory, name);
  // The second container of a pair begins with the second server.
  const urls = composedApiUrls(spec, servers, name.endsWith("-2") ? 1 : 0);
  await writeDirectory(join(options.identitiesDirectory, name), uid, {
    ...extra,
    "tls.crt": cert,
    "tls.key": key,
    "ca.crt": ca,
    ...(container.kubeconfig ? { kubeconfig: await kubeconfig(options, name, urls) } : {}),
  });
}

async function writeDirectory(directory: string, uid: number, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await give(directory, uid);
  for (const [file, content] of Object.entries(files)) await writeFor(uid, join(directory, file), content);
}

async function writeAdminKubeconfig(options: WriteIdentitiesOptions): Promise<void> {
  const { kubeconfigDirectory, spec, servers = 1, balancerPort } = options;
  const { uid } = await stat(kubeconfigDirectory);
  const port = servers === 1 ? spec.apiPort : (balancerPort ?? spec.apiPort);
  const content = await kubeconfig(options, "admin", [`https://127.0.0.1:${port}`]);
  await writeFor(uid, join(kubeconfigDirectory, "kubeconfig"), content);
}

async function writeFor(uid: number, file: string, content: string): Promise<void> {
  await writeWhole(file, content);
  await give(file, uid);
}

/** Only root can change the owner of files; for any other user, the owner remains. */
async function give(path: string, uid: number): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, uid);
}

function kubeconfig(options: WriteIdentitiesOptions, identity: string, urls: readonly string[]): Promise<string> {
  const [server = ""] = urls;
  const servers = urls.length === 1 ? undefined : urls;
  return identityKubeconfig(options.authorityDirectory, identity, {
    name: contextName(options.spec.name),
    server,
    servers,
  });
}
