import { chown, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { natsServerConfig, trustOf } from "@kintsugi/watch-stream";
import { ensureSeeds } from "../components/bus-files.ts";
import { writeWhole } from "../cluster/write-whole.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import type { PkiDeps } from "@kintsugi/pki";
import {
  ensureCertificates,
  ensureFrontProxy,
  ensureServiceAccountKey,
  identityFiles,
  identityKubeconfig,
  readIdentity,
  serviceAccountKeyFile,
} from "../components/cluster-pki.ts";
import { controlPorts } from "../components/components.ts";
import {
  composedApiAddress,
  composedCertificateRequests,
  type ContainerIdentity,
  containerIdentities,
  identityMount,
} from "./identities.ts";

export interface WriteIdentitiesOptions {
  spec: ClusterSpec;
  /** The directory of the authority, and of everything it signed; only its owner may read it. */
  authorityDirectory: string;
  /** Holds one directory per container. */
  identitiesDirectory: string;
  /**
   * The directory of the administrator's kubeconfig, for the host; the file gets the directory's
   * owner.
   */
  kubeconfigDirectory: string;
  /** Further names and addresses under which the API is reached from outside. */
  apiNames: readonly string[];
}

/** nats-server answers its container's health check at this port. */
const natsHealthPort = 8222;

/**
 * Writes each container's identity. Repeatable: files that are there and still hold stay unchanged.
 */
export async function writeIdentities(deps: PkiDeps, options: WriteIdentitiesOptions): Promise<void> {
  const { spec, authorityDirectory, apiNames } = options;
  const requests = composedCertificateRequests(spec, apiNames);
  await ensureCertificates(deps, requests, authorityDirectory);
  await ensureServiceAccountKey(authorityDirectory);
  await ensureFrontProxy(deps, authorityDirectory);
  const seeds = await ensureSeeds(authorityDirectory);
  const kubeletClient = await readIdentity(authorityDirectory, "api-server-kubelet-client");
  const frontProxy = await readIdentity(authorityDirectory, "front-proxy-client");
  const extras: Record<string, Record<string, string>> = {
    "api-server": {
      "nats-account.seed": seeds.accountSeed,
      "sa.key": await readFile(serviceAccountKeyFile(authorityDirectory), "utf8"),
      "kubelet-client.crt": kubeletClient.cert,
      "kubelet-client.key": kubeletClient.key,
      "front-proxy-client.crt": frontProxy.cert,
      "front-proxy-client.key": frontProxy.key,
      "front-proxy-ca.crt": await readFile(identityFiles(authorityDirectory, "front-proxy-ca").certFile, "utf8"),
    },
    nats: {
      "nats.conf": natsServerConfig({
        host: "0.0.0.0",
        port: controlPorts.nats,
        healthPort: natsHealthPort,
        certFile: join(identityMount, "tls.crt"),
        keyFile: join(identityMount, "tls.key"),
        caFile: join(identityMount, "ca.crt"),
        trust: trustOf(seeds, deps.clock.nowMs()),
      }),
    },
  };
  for (const container of containerIdentities(spec)) await writeIdentity(options, container, extras[container.name]);
  await writeAdminKubeconfig(options);
}

async function writeIdentity(
  options: WriteIdentitiesOptions,
  container: ContainerIdentity,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { name, uid } = container;
  const directory = join(options.identitiesDirectory, name);
  const { ca, cert, key } = await readIdentity(options.authorityDirectory, name);
  const files: Record<string, string> = {
    ...extra,
    "tls.crt": cert,
    "tls.key": key,
    "ca.crt": ca,
    ...(container.kubeconfig
      ? { kubeconfig: await kubeconfig(options, name, `https://${composedApiAddress(options.spec)}:6443`) }
      : {}),
  };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await give(directory, uid);
  for (const [file, content] of Object.entries(files)) await writeFor(uid, join(directory, file), content);
}

async function writeAdminKubeconfig(options: WriteIdentitiesOptions): Promise<void> {
  const { kubeconfigDirectory, spec } = options;
  const { uid } = await stat(kubeconfigDirectory);
  const content = await kubeconfig(options, "admin", `https://127.0.0.1:${spec.apiPort}`);
  await writeFor(uid, join(kubeconfigDirectory, "kubeconfig"), content);
}

async function writeFor(uid: number, file: string, content: string): Promise<void> {
  await writeWhole(file, content);
  await give(file, uid);
}

/** Only root can give files away; any other user keeps them. */
async function give(path: string, uid: number): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, uid);
}

function kubeconfig(options: WriteIdentitiesOptions, identity: string, server: string): Promise<string> {
  return identityKubeconfig(options.authorityDirectory, identity, { name: `kintsugi-${options.spec.name}`, server });
}
