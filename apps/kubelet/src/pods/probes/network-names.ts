/**
 * The kubelet's reason for a request to a container: a probe, a postStart hook or a preStop hook.
 */
export type AskingFor = "probe" | "lifecycle";

/** The User-Agent of a probe or a hook (pkg/probe/http); a version is "v1.36.0+kintsugi". */
export function userAgent(purpose: AskingFor, version: string): string {
  const [, minor = version] = /^v(\d+\.\d+)\./.exec(version) ?? [];
  return `kube-${purpose}/${minor}`;
}

/** Writes an address as Go does: an IPv6 host is in brackets. */
export function joinHostPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Describes a failed connection in Go's words, for which users search. */
export function dialError(error: Error, address: string): string {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${address}: connect: connection refused`;
    case "EHOSTUNREACH":
      return `dial tcp ${address}: connect: no route to host`;
    case "ECONNRESET":
      return `read tcp ${address}: read: connection reset by peer`;
    default:
      return error.message;
  }
}
