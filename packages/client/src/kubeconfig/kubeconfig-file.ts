import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import { stringify } from "yaml";
import { documentIn, InvalidKubeconfig, serversExtension } from "./kubeconfig.ts";

/**
 * The entry that `up` adds to a kubeconfig. Cluster, user and context share one name:
 * "kintsugi-demo".
 */
export interface KubeconfigEntry {
  name: string;
  server: string;
  /** The servers of a cluster that has several. */
  servers?: readonly string[] | undefined;
  /** PEM. */
  ca: string;
  cert: string;
  key: string;
}

/** A kubeconfig as in the file; unknown fields are kept. */
export type KubeconfigDocument = Record<string, unknown>;

/** Another kubectl holds the lock for moments, so a lock of this age was left by a crash. */
const lockWaitMs = 10_000;
const lockRetryMs = 100;

/**
 * Returns the file to write, by kubectl's rules: the explicit file; else the first existing file of
 * KUBECONFIG, or its last; else ~/.kube/config.
 */
export function kubeconfigPath(
  explicit: string | undefined,
  environment: { KUBECONFIG?: string | undefined; HOME?: string | undefined },
): string {
  if (explicit !== undefined && explicit !== "") return explicit;
  const listed = (environment.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  const last = listed.at(-1);
  if (last !== undefined) return listed.find((path) => existsSync(path)) ?? last;
  return join(environment.HOME ?? homedir(), ".kube", "config");
}

/**
 * Returns the document as YAML that kubectl reads. Go's reader supports YAML 1.1, in which the
 * names n, on and 1_000 need quotes.
 */
export function kubeconfigText(document: KubeconfigDocument): string {
  return stringify(document, { compat: "yaml-1.1" });
}

/** The document with the entry added or replaced, and made the current context. */
export function withEntry(document: KubeconfigDocument, entry: KubeconfigEntry): KubeconfigDocument {
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  const { name } = entry;
  return {
    apiVersion: "v1",
    kind: "Config",
    preferences: {},
    ...document,
    clusters: replaced(document["clusters"], {
      name,
      cluster: {
        "certificate-authority-data": base64(entry.ca),
        server: entry.server,
        ...(entry.servers === undefined
          ? {}
          : { extensions: [{ name: serversExtension, extension: { servers: entry.servers } }] }),
      },
    }),
    users: replaced(document["users"], {
      name,
      user: { "client-certificate-data": base64(entry.cert), "client-key-data": base64(entry.key) },
    }),
    contexts: replaced(document["contexts"], { name, context: { cluster: name, user: name } }),
    "current-context": name,
  };
}

/** The document without the entry; current-context is unset only if it was this entry. */
export function withoutEntry(document: KubeconfigDocument, name: string): KubeconfigDocument {
  const rest = {
    ...document,
    clusters: without(document["clusters"], name),
    users: without(document["users"], name),
    contexts: without(document["contexts"], name),
  };
  return document["current-context"] === name ? { ...rest, "current-context": "" } : rest;
}

/** Returns true when the document has a context of this name. */
export function hasEntry(document: KubeconfigDocument, name: string): boolean {
  return entries(document["contexts"]).some((entry) => entry.name === name);
}

/** Reads a kubeconfig without changes; a file that does not exist is empty. */
export function readKubeconfigDocument(path: string): KubeconfigDocument {
  if (!existsSync(path)) return {};
  const document = documentIn(readFileSync(path, "utf8"), path);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw new InvalidKubeconfig(`${path} is not a kubeconfig: move it away, or name another file with --kubeconfig`);
  return document as KubeconfigDocument;
}

/**
 * Checks that a kubeconfig, if it exists, is a regular file. The changed file replaces it. If it
 * were /dev/null, processes on this host could no longer write to /dev/null.
 * @throws InvalidKubeconfig
 */
export function assertKubeconfigIsFile(path: string): void {
  if (existsSync(path) && !statSync(path).isFile())
    throw new InvalidKubeconfig(`${path} is not a file that can be replaced: name another file with --kubeconfig`);
}

/**
 * Changes a kubeconfig under its lock file. The directory has to exist. Only its owner can read the
 * new file.
 * @throws InvalidKubeconfig when the present file is not a kubeconfig; Error when another program
 * holds the lock for too long.
 */
export async function changeKubeconfigFile(
  deps: { clock: Clock },
  path: string,
  change: (document: KubeconfigDocument) => KubeconfigDocument,
): Promise<void> {
  assertKubeconfigIsFile(path);
  const lockPath = `${path}.lock`;
  await takeLock(deps.clock, lockPath);
  try {
    // Many users keep their kubeconfig behind a symbolic link, which must remain a link.
    const file = existsSync(path) ? realpathSync(path) : path;
    replaceFile(file, kubeconfigText(change(readKubeconfigDocument(file))));
  } finally {
    rmSync(lockPath, { force: true });
  }
}

/**
 * @throws InvalidKubeconfig when the disk is full or the file is not writable; the file is then
 * unchanged.
 */
function replaceFile(file: string, text: string): void {
  const next = `${file}.kintsugi-new`;
  try {
    writeFileSync(next, text, { mode: 0o600 });
    renameSync(next, file);
  } catch (cause) {
    if (existsSync(next)) rmSync(next, { force: true });
    const { message } = cause as Error;
    throw new InvalidKubeconfig(`${file} cannot be written (${message}): name another file with --kubeconfig`, {
      cause,
    });
  }
}

async function takeLock(clock: Clock, lockPath: string): Promise<void> {
  const untilMs = clock.monotonicMs() + lockWaitMs;
  for (;;) {
    try {
      writeFileSync(lockPath, "", { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (clock.monotonicMs() >= untilMs) {
        throw new Error(`${lockPath} exists: another program is changing the kubeconfig, or died while doing so`, {
          cause: error,
        });
      }
      await clock.sleep(lockRetryMs);
    }
  }
}

interface NamedEntry {
  name?: unknown;
  [field: string]: unknown;
}

function entries(list: unknown): readonly NamedEntry[] {
  return Array.isArray(list) ? (list as NamedEntry[]) : [];
}

function replaced(list: unknown, entry: NamedEntry): readonly NamedEntry[] {
  const others = entries(list);
  const at = others.findIndex((other) => other.name === entry.name);
  return at < 0 ? [...others, entry] : others.with(at, entry);
}

function without(list: unknown, name: string): readonly NamedEntry[] {
  return entries(list).filter((entry) => entry.name !== name);
}
