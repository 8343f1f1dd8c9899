import { chown, mkdir, readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { withEntry } from "@kintsugi/client";
import { natsServerConfig, trustOf } from "@kintsugi/watch-stream";
import { stringify } from "yaml";
import { ensureSeeds } from "../bus/bus-files.ts";
import { writeWhole } from "../cluster/cluster-files.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import type { PkiDeps } from "@kintsugi/pki";
import {
  ensureCertificates,
  ensureServiceAccountKey,
  identityFiles,
  serviceAccountKeyFile,
} from "../pki/cluster-pki.ts";
import { controlPorts } from "../supervisor/components.ts";
import {
  composedCertificateRequests,
  type ContainerIdentity,
  containerIdentities,
  identityMount,
} from "./identities.ts";

export interface WriteIdentitiesOptions {
  spec: ClusterSpec;
  /** Where the authority, and everything it signed, is kept; nobody else may read it. */
  authorityDirectory: string;
  /** Holds one directory per container. */
  identitiesDirectory: string;
  /** Where the administrator's kubeconfig is left for the host; it is given to the directory's owner. */
  kubeconfigDirectory: string;
  /** Further names and addresses under which the API is reached from outside. */
  apiNames: readonly string[];
}

/** Where nats-server answers its container's health check. */
const natsHealthPort = 8222;

/** Gives each container of a composed cluster its identity. Repeatable: what is there and still holds stays as it is. */
export async function writeIdentities(deps: PkiDeps, options: WriteIdentitiesOptions): Promise<void> {
  const { spec, authorityDirectory, apiNames } = options;
  const requests = composedCertificateRequests(spec, {
    dnsNames: apiNames.filter((name) => isIP(name) === 0),
    ipAddresses: apiNames.filter((name) => isIP(name) !== 0),
  });
  await ensureCertificates(deps, requests, authorityDirectory);
  await ensureServiceAccountKey(authorityDirectory);
  const seeds = await ensureSeeds(authorityDirectory);
  const extras: Record<string, Record<string, string>> = {
    "api-server": {
      "nats-account.seed": seeds.accountSeed,
      "sa.key": await readFile(serviceAccountKeyFile(authorityDirectory), "utf8"),
      ...(await pairAs(options, "api-server-kubelet-client", "kubelet-client")),
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
  const files: Record<string, string> = {
    ...extra,
    ...(await pairAs(options, name, "tls")),
    "ca.crt": await authorityCertificate(options),
    ...(container.kubeconfig ? { kubeconfig: await kubeconfig(options, name, "https://api-server:6443") } : {}),
  };
  await mkdir(directory, { recursive: true });
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

/** Only root can give files away; whoever else runs this keeps them. */
async function give(path: string, uid: number): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, uid);
}

async function pairAs(
  { authorityDirectory }: WriteIdentitiesOptions,
  identity: string,
  name: string,
): Promise<Record<string, string>> {
  const { certFile, keyFile } = identityFiles(authorityDirectory, identity);
  return { [`${name}.crt`]: await readFile(certFile, "utf8"), [`${name}.key`]: await readFile(keyFile, "utf8") };
}

function authorityCertificate({ authorityDirectory }: WriteIdentitiesOptions): Promise<string> {
  return readFile(identityFiles(authorityDirectory, "ca").certFile, "utf8");
}

async function kubeconfig(options: WriteIdentitiesOptions, identity: string, server: string): Promise<string> {
  const pair = await pairAs(options, identity, "it");
  const [cert = "", key = ""] = [pair["it.crt"], pair["it.key"]];
  const ca = await authorityCertificate(options);
  return stringify(withEntry({}, { name: `kintsugi-${options.spec.name}`, server, ca, cert, key }));
}
