import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { withEntry } from "@kintsugi/client";
import { stringify } from "yaml";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, nodeAddresses } from "../network/addresses.ts";
import { seatAddresses, serverRequests } from "./server-requests.ts";
import {
  type Authority,
  type CertificateRequest,
  createAuthority,
  endOf,
  type KeyPair,
  openAuthority,
  type PkiDeps,
} from "@kintsugi/pki";

/** The files of one identity, and of the authority that signed it. */
export interface IdentityFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

/** Lists the certificates of a cluster by file name. Users and groups are upstream's. */
export function certificateRequests(spec: ClusterSpec): Record<string, CertificateRequest> {
  const addresses = seatAddresses(spec);
  const common = controlPlaneRequests({ addresses, serviceAddress: firstServiceAddress(spec) });
  const requests: Record<string, CertificateRequest> = { ...common, ...serverRequests(spec, common["api-server"]) };
  for (const node of spec.nodes) {
    const { address } = nodeAddresses(spec, node);
    requests[node.name] = {
      commonName: `system:node:${node.name}`,
      organizations: ["system:nodes"],
      usages: ["client", "server"],
      dnsNames: [node.name],
      ipAddresses: [address],
    };
  }
  return requests;
}

/** Returns the requests of a control plane alone, which is reached at `addresses`. */
export function controlPlaneRequests(at: { addresses: readonly string[]; serviceAddress: string }) {
  const local = { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", ...at.addresses] };
  return {
    "api-server": {
      commonName: "kube-apiserver",
      usages: ["server"],
      dnsNames: [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
      ],
      ipAddresses: ["127.0.0.1", ...at.addresses, at.serviceAddress],
    },
    "api-server-kubelet-client": {
      commonName: "kube-apiserver-kubelet-client",
      organizations: ["kubeadm:cluster-admins"],
      usages: ["client"],
    },
    nats: { commonName: "nats", usages: ["server"], ...local },
    admin: { commonName: "kubernetes-admin", organizations: ["system:masters"], usages: ["client"] },
    scheduler: { commonName: "system:kube-scheduler", usages: ["client", "server"], ...local },
    "controller-manager": { commonName: "system:kube-controller-manager", usages: ["client", "server"], ...local },
    "csi-controller": { commonName: "kintsugi:csi-controller", usages: ["client", "server"], ...local },
    "ingress-controller": { commonName: "kintsugi:ingress-controller", usages: ["client", "server"], ...local },
    "cloud-controller-manager": {
      commonName: "kintsugi:cloud-controller-manager",
      usages: ["client", "server"],
      ...local,
    },
    "cluster-autoscaler": { commonName: "kintsugi:cluster-autoscaler", usages: ["client", "server"], ...local },
    proxy: { commonName: "system:kube-proxy", organizations: ["system:node-proxier"], usages: ["client"] },
  } satisfies Record<string, CertificateRequest>;
}

/** The same, with further names and addresses under which the API is reached. */
export function withApiNames(
  requests: Readonly<Record<string, CertificateRequest>>,
  apiNames: readonly string[],
): Record<string, CertificateRequest> {
  const api = requests["api-server"];
  if (!api) return requests;
  const isAddress = (name: string) => isIP(name) !== 0;
  return {
    ...requests,
    "api-server": {
      ...api,
      dnsNames: [...(api.dnsNames ?? []), ...apiNames.filter((name) => !isAddress(name))],
      ipAddresses: [...(api.ipAddresses ?? []), ...apiNames.filter(isAddress)],
    },
  };
}

/**
 * Makes the authority and every certificate that is not there yet, in `directory` (0700; keys
 * 0600).
 */
export async function ensurePki(deps: PkiDeps, spec: ClusterSpec, directory: string): Promise<void> {
  await ensureCertificates(deps, certificateRequests(spec), directory);
  await ensureServiceAccountKey(directory);
  await ensureFrontProxy(deps, directory);
}

/**
 * Makes the authority and the certificate by which other API servers know the API server, under
 * kubeadm's names. The authority signs nothing else: whatever it has signed may speak for any user.
 */
export async function ensureFrontProxy(deps: PkiDeps, directory: string): Promise<void> {
  const authority = await ensureAuthority(deps, directory, "front-proxy-ca");
  const request: CertificateRequest = { commonName: "front-proxy-client", usages: ["client"] };
  if (holdsWhatIsAsked(deps, identityFiles(directory, "front-proxy-client"), request)) return;
  await writePair(directory, "front-proxy-client", await authority.issue(request));
}

/** The key that signs the tokens of service accounts, under kubeadm's name for it. */
export function serviceAccountKeyFile(directory: string): string {
  return join(directory, "sa.key");
}

/** Makes the key that is not there yet (0600): P-256. */
export async function ensureServiceAccountKey(directory: string): Promise<void> {
  const file = serviceAccountKeyFile(directory);
  if (existsSync(file)) return;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(`${file}.new`, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The same for other certificates, by file name, of the cluster's authority or another one. */
export async function ensureCertificates(
  deps: PkiDeps,
  requests: Readonly<Record<string, CertificateRequest>>,
  directory: string | { directory: string; authority: string },
): Promise<void> {
  const place = typeof directory === "string" ? { directory, authority: "ca" } : directory;
  await mkdir(place.directory, { recursive: true, mode: 0o700 });
  const authority = await ensureAuthority(deps, place.directory, place.authority);
  const missing = Object.entries(requests).filter(
    ([name, request]) => !holdsWhatIsAsked(deps, identityFiles(place.directory, name), request),
  );
  await Promise.all(
    missing.map(async ([name, request]) => writePair(place.directory, name, await authority.issue(request))),
  );
}

/** A certificate is made anew when it ends within this: every start of a cluster is a chance to. */
const renewBeforeEndMs = 30 * 24 * 3600 * 1000;

/** Reports whether the pair is there, holds for a while, and for every name and address. */
function holdsWhatIsAsked({ clock }: PkiDeps, files: IdentityFiles, request: CertificateRequest): boolean {
  if (!existsSync(files.keyFile)) return false;
  const pem = readFileSync(files.certFile, "utf8");
  if (endOf(pem) - clock.nowMs() < renewBeforeEndMs) return false;
  const certificate = new X509Certificate(pem);
  return (
    (request.dnsNames ?? []).every((name) => certificate.checkHost(name) !== undefined) &&
    (request.ipAddresses ?? []).every((address) => certificate.checkIP(address) !== undefined)
  );
}

/** An identity and the authority that signed it, PEM. */
export interface Identity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export function readIdentity(directory: string, name: string): Promise<Identity> {
  return readIdentityFiles(identityFiles(directory, name));
}

export async function readIdentityFiles({ caFile, certFile, keyFile }: IdentityFiles): Promise<Identity> {
  const [ca, cert, key] = (await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file, "utf8")))) as [
    string,
    string,
    string,
  ];
  return { ca, cert, key };
}

/** The text of a kubeconfig with which an identity of `directory` reaches a server. */
export async function identityKubeconfig(
  directory: string,
  identity: string,
  entry: { name: string; server: string; servers?: readonly string[] | undefined },
): Promise<string> {
  return stringify(withEntry({}, { ...entry, ...(await readIdentity(directory, identity)) }));
}

export function identityFiles(directory: string, name: string): IdentityFiles {
  return {
    certFile: join(directory, `${name}.crt`),
    keyFile: join(directory, `${name}.key`),
    caFile: join(directory, "ca.crt"),
  };
}

async function ensureAuthority(deps: PkiDeps, directory: string, name = "ca"): Promise<Authority> {
  const { certFile, keyFile } = identityFiles(directory, name);
  if (existsSync(keyFile)) {
    const [certificate, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    return openAuthority(deps, { certificate, key });
  }
  const authority = await createAuthority(deps, name === "ca" ? "kubernetes" : name);
  await writePair(directory, name, authority);
  return authority;
}

/** The key comes last and by renaming: once it is there, both files are whole. */
async function writePair(directory: string, name: string, pair: KeyPair): Promise<void> {
  const { certFile, keyFile } = identityFiles(directory, name);
  await writeFile(certFile, pair.certificate, { mode: 0o644 });
  await writeFile(`${keyFile}.new`, pair.key, { mode: 0o600 });
  await rename(`${keyFile}.new`, keyFile);
}

function firstServiceAddress(spec: ClusterSpec): string {
  return clusterAddresses(spec).serviceNetwork.replace(/0\/\d+$/, "1");
}
