import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { kubeconfigText, withEntry } from "@kintsugi/client";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { certificateRequests } from "./certificate-requests.ts";
import { type IdentityFiles, identityFiles, readIdentity, serviceAccountKeyFile } from "./identity-files.ts";
import {
  type Authority,
  type CertificateRequest,
  createAuthority,
  endOf,
  type KeyPair,
  openAuthority,
  type PkiDeps,
} from "@kintsugi/pki";

/**
 * Creates the authority and every certificate that does not exist yet, in `directory` (0700; keys
 * 0600).
 */
export async function ensurePki(deps: PkiDeps, spec: ClusterSpec, directory: string): Promise<void> {
  await ensureCertificates(deps, certificateRequests(spec), directory);
  await ensureServiceAccountKey(directory);
  await ensureFrontProxy(deps, directory);
}

/**
 * Creates the authority and the certificate with which the API server authenticates to other API
 * servers, under kubeadm's names. The authority must not sign other certificates, because its
 * certificates may act as any user.
 */
export async function ensureFrontProxy(deps: PkiDeps, directory: string): Promise<void> {
  const authority = await ensureAuthority(deps, directory, "front-proxy-ca");
  const request: CertificateRequest = { commonName: "front-proxy-client", usages: ["client"] };
  if (holdsWhatIsAsked(deps, identityFiles(directory, "front-proxy-client"), request)) return;
  await writePair(directory, "front-proxy-client", await authority.issue(request));
}

/** Creates the P-256 key (0600) if it does not exist yet. */
export async function ensureServiceAccountKey(directory: string): Promise<void> {
  const file = serviceAccountKeyFile(directory);
  if (existsSync(file)) return;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(`${file}.new`, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Ensures other certificates, by file name, of the cluster's authority or another authority. */
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

/**
 * A certificate is renewed if it expires within this time, which each start of a cluster checks.
 */
const renewBeforeEndMs = 30 * 24 * 3600 * 1000;

/** Reports whether the pair exists, is valid for a while, and has every name and address. */
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

/** The text of a kubeconfig with which an identity of `directory` connects to a server. */
export async function identityKubeconfig(
  directory: string,
  identity: string,
  entry: { name: string; server: string; servers?: readonly string[] | undefined },
): Promise<string> {
  return kubeconfigText(withEntry({}, { ...entry, ...(await readIdentity(directory, identity)) }));
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

/** The key is written last, by renaming, so that both files are complete once the key exists. */
async function writePair(directory: string, name: string, pair: KeyPair): Promise<void> {
  const { certFile, keyFile } = identityFiles(directory, name);
  await writeFile(certFile, pair.certificate, { mode: 0o644 });
  await writeFile(`${keyFile}.new`, pair.key, { mode: 0o600 });
  await rename(`${keyFile}.new`, keyFile);
}
