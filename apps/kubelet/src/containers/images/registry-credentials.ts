import { parseForeignJson, type Secret } from "@kintsugi/api";
import type { PullOptions } from "@kintsugi/cri";
import * as z from "zod";

export type RegistryAuth = NonNullable<PullOptions["auth"]>;

/** One entry of a Docker configuration: the images to which it applies, and its credentials. */
export interface RegistryCredential {
  /** "registry.example.com:5000/team", with "*" within a part of the host's name. */
  pattern: string;
  auth: RegistryAuth;
}

const entries = z.record(
  z.string(),
  z.object({
    username: z.string().optional(),
    password: z.string().optional(),
    auth: z.string().optional(),
    identitytoken: z.string().optional(),
    registrytoken: z.string().optional(),
  }),
);

/**
 * Returns the credentials in a Secret of one of the two types for images. An invalid Secret has no
 * credentials. The server's address is omitted, because the entry is selected here and containerd
 * does not accept "host:port" as a URL.
 */
export function credentialsIn({ type, data }: Pick<Secret, "type" | "data">): RegistryCredential[] {
  const isModern = type === "kubernetes.io/dockerconfigjson" || data?.[".dockerconfigjson"] !== undefined;
  const content = parseJson(data?.[isModern ? ".dockerconfigjson" : ".dockercfg"]);
  const parsed = isModern ? z.object({ auths: entries }).safeParse(content) : entries.safeParse(content);
  if (!parsed.success) return [];
  const auths = (isModern ? parsed.data["auths"] : parsed.data) as z.infer<typeof entries>;
  return Object.entries(auths).map(([serverAddress, entry]) => {
    const [user = "", ...password] = Buffer.from(entry.auth ?? "", "base64")
      .toString("utf8")
      .split(":");
    return {
      pattern: serverAddress.replace(/^https?:\/\//, ""),
      auth: {
        username: entry.username ?? user,
        password: entry.password ?? password.join(":"),
        ...(entry.identitytoken === undefined ? {} : { identityToken: entry.identitytoken }),
        ...(entry.registrytoken === undefined ? {} : { registryToken: entry.registrytoken }),
      },
    };
  });
}

/**
 * Returns the credentials that apply to the image, the most specific first
 * (credentialprovider/keyring.go).
 */
export function credentialsFor(image: string, all: readonly RegistryCredential[]): RegistryAuth[] {
  const wanted = fullName(image);
  return all
    .filter(({ pattern }) => covers(pattern, wanted))
    .toSorted((a, b) => (a.pattern < b.pattern ? 1 : a.pattern > b.pattern ? -1 : 0))
    .map(({ auth }) => auth);
}

const dockerHub = "index.docker.io";
const dockerHubNames = new Set([dockerHub, "docker.io", "registry-1.docker.io", "registry.docker.io"]);

interface Location {
  host: string;
  path: string;
}

/** An image without a host is from Docker Hub. */
function fullName(image: string): Location {
  const [first = "", ...rest] = image.split("/");
  const isHost = rest.length > 0 && (first === "localhost" || /[.:]/.test(first));
  if (!isHost || dockerHubNames.has(first)) return { host: dockerHub, path: isHost ? rest.join("/") : image };
  return { host: first, path: rest.join("/") };
}

function covers(pattern: string, { host, path }: Location): boolean {
  const [first = "", ...rest] = pattern.split("/");
  if (dockerHubNames.has(first)) return host === dockerHub;
  return hostCovers(first, host) && path.startsWith(rest.join("/"));
}

/**
 * Matches part by part, so that "*.example.com" does not match "a.b.example.com". A port only
 * matches the same port.
 */
function hostCovers(pattern: string, host: string): boolean {
  const [patternName = "", patternPort = ""] = pattern.split(":");
  const [name = "", port = ""] = host.split(":");
  const patternParts = patternName.split(".");
  const parts = name.split(".");
  if (patternPort !== port || patternParts.length !== parts.length) return false;
  return patternParts.every((part, i) => partCovers(part, parts[i] ?? ""));
}

function partCovers(pattern: string, part: string): boolean {
  const pieces = pattern.split("*");
  if (pieces.length === 1) return pattern === part;
  const [head = "", ...middle] = pieces;
  const tail = middle.pop() ?? "";
  if (part.length < head.length + tail.length || !part.startsWith(head) || !part.endsWith(tail)) return false;
  let from = head.length;
  for (const piece of middle) {
    const at = part.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= part.length - tail.length;
}

function parseJson(base64: string | undefined): unknown {
  try {
    return parseForeignJson(Buffer.from(base64 ?? "", "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}
