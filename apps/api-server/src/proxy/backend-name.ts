import { badRequest } from "@kintsugi/api";

/**
 * The name of a server of a pod, Service or node: "web", "web:8080", "https:web:8443",
 * "http:web:metrics".
 */
export interface BackendName {
  scheme: "http" | "https";
  name: string;
  /** A number or a name; "" means that the object decides. */
  port: string;
}

/** Parses a name as utilnet.SplitSchemeNamePort does. @throws ApiError BadRequest */
export function parseBackendName(text: string, kind: "pod" | "service" | "node"): BackendName {
  const parts = text.split(":");
  const [scheme, name, port] = parts.length === 3 ? parts : ["", ...parts];
  if (parts.length > 3 || name === undefined || name === "" || !isScheme(scheme ?? "")) {
    throw badRequest(`invalid ${kind} request ${JSON.stringify(text)}`);
  }
  return { scheme: scheme === "https" ? "https" : "http", name, port: port ?? "" };
}

function isScheme(text: string): boolean {
  return text === "" || text === "http" || text === "https";
}

/** Returns the number in a string; undefined for other strings. */
export function portNumberOf(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}
