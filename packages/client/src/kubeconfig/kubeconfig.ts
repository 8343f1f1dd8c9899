import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import * as z from "zod";

/**
 * The address of an API server and the client's credentials; fits into `createHttpClient`'s
 * options.
 */
export interface ClusterAccess {
  context: string;
  server: string;
  /**
   * The servers of a cluster that has several, from the extension `kintsugi.dev/servers` of the
   * cluster.
   */
  servers?: readonly string[];
  /** The namespace of the context; "default" if the context has no namespace. */
  namespace: string;
  /** PEM. */
  ca?: string;
  cert?: string;
  key?: string;
  token?: string;
  /** The name to expect in the server's certificate. */
  serverName?: string;
}

/** A kubeconfig, or a file that it names, cannot be used. The message is complete by itself. */
export class InvalidKubeconfig extends Error {
  override readonly name = "InvalidKubeconfig";
}

const text = z.string().optional();

/** The extension of a cluster with its servers: `{ servers: ["https://192.0.2.10:6443"] }`. */
export const serversExtension = "kintsugi.dev/servers";
/** A client tries one server after the other, and a control plane has few. */
const serversMax = 16;
const Servers = z.object({ servers: z.array(z.string()).min(1).max(serversMax) });

const Cluster = z.object({
  server: z.string(),
  "certificate-authority": text,
  "certificate-authority-data": text,
  "tls-server-name": text,
  "insecure-skip-tls-verify": z.boolean().optional(),
  extensions: z.array(z.object({ name: z.string(), extension: z.unknown() })).nullish(),
});

const User = z.object({
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  token: text,
  tokenFile: text,
});

const Kubeconfig = z.object({
  "current-context": text,
  clusters: z.array(z.object({ name: z.string(), cluster: Cluster })).nullish(),
  users: z.array(z.object({ name: z.string(), user: User.nullish() })).nullish(),
  contexts: z
    .array(
      z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string(), namespace: text }) }),
    )
    .nullish(),
});
type Kubeconfig = z.infer<typeof Kubeconfig>;

/**
 * Reads a kubeconfig file and the files that it names.
 * @throws InvalidKubeconfig that names the file and its fault.
 */
export function loadKubeconfig(path: string, context?: string): ClusterAccess {
  return accessFrom(readText(path, path), {
    origin: path,
    directory: dirname(resolve(path)),
    ...(context === undefined ? {} : { context }),
  });
}

/**
 * Reads a kubeconfig given as text. Relative paths in it are resolved from the working directory.
 */
export function parseKubeconfig(yaml: string, context?: string): ClusterAccess {
  return accessFrom(yaml, { origin: "kubeconfig", directory: ".", ...(context === undefined ? {} : { context }) });
}

interface Source {
  origin: string;
  directory: string;
  context?: string;
}

function accessFrom(yaml: string, source: Source): ClusterAccess {
  const { origin } = source;
  const config = parseConfig(yaml, origin);
  const contextName = source.context ?? config["current-context"] ?? "";
  if (contextName === "")
    throw new InvalidKubeconfig(`${origin}: no context was given, and current-context is not set`);
  const context = named(config.contexts, contextName, `${origin}: context`).context;
  const cluster = named(config.clusters, context.cluster, `${origin}: cluster`).cluster;
  const user = named(config.users, context.user, `${origin}: user`).user ?? {};
  if (cluster["insecure-skip-tls-verify"] === true) {
    throw new InvalidKubeconfig(
      `${origin}: cluster "${context.cluster}" skips TLS verification, which is not supported`,
    );
  }
  const optional = {
    ca: pem(cluster["certificate-authority-data"], cluster["certificate-authority"], source),
    cert: pem(user["client-certificate-data"], user["client-certificate"], source),
    key: pem(user["client-key-data"], user["client-key"], source),
    token: user.token ?? fileText(user.tokenFile, source)?.trim(),
    serverName: cluster["tls-server-name"],
    servers: serversOf(cluster, origin),
  };
  return {
    context: contextName,
    server: cluster.server,
    namespace: context.namespace ?? "default",
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<ClusterAccess>),
  };
}

/** @throws InvalidKubeconfig where the extension exists and is invalid. */
function serversOf({ extensions }: z.infer<typeof Cluster>, origin: string): readonly string[] | undefined {
  const found = extensions?.find(({ name }) => name === serversExtension);
  if (found === undefined) return undefined;
  const parsed = Servers.safeParse(found.extension);
  const urls = parsed.success ? parsed.data.servers : [];
  if (parsed.success && urls.every((url) => URL.canParse(url) && url.startsWith("https:"))) return urls;
  throw new InvalidKubeconfig(
    `${origin}: the extension ${serversExtension} needs a list "servers" of 1 to ${serversMax} https URLs`,
  );
}

function parseConfig(yaml: string, origin: string): Kubeconfig {
  const parsed = Kubeconfig.safeParse(documentIn(yaml, origin));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue?.path.join(".") || "the whole";
  throw new InvalidKubeconfig(`${origin}: ${place}: ${issue?.message}`, { cause: parsed.error });
}

/** @throws InvalidKubeconfig where the text is not YAML. */
export function documentIn(yaml: string, origin: string): unknown {
  try {
    return (parse(yaml) as unknown) ?? {};
  } catch (error) {
    const [because = ""] = (error as Error).message.split("\n");
    throw new InvalidKubeconfig(`${origin}: ${because.replace(/:$/, "")}`, { cause: error });
  }
}

function named<T extends { name: string }>(list: readonly T[] | null | undefined, name: string, what: string): T {
  const found = list?.find((entry) => entry.name === name);
  if (found === undefined) throw new InvalidKubeconfig(`${what} "${name}" does not exist`);
  return found;
}

/** Data in the kubeconfig takes precedence over a file that it names. */
function pem(base64: string | undefined, path: string | undefined, source: Source): string | undefined {
  if (base64 !== undefined && base64 !== "") return Buffer.from(base64, "base64").toString("utf8");
  return fileText(path, source);
}

function fileText(path: string | undefined, { directory, origin }: Source): string | undefined {
  return path === undefined || path === "" ? undefined : readText(resolve(directory, path), origin);
}

function readText(path: string, origin: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const named = path === origin ? "" : `${path} `;
    const isMissing = path === origin && code === "ENOENT";
    const because = isMissing ? "ENOENT, no such file: name the kubeconfig of a cluster with --kubeconfig" : message;
    throw new InvalidKubeconfig(`${origin}: ${named}cannot be read: ${because}`, { cause: error });
  }
}
