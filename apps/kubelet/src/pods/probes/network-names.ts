/** What the kubelet asks a container for: how it is, or to act on its start or end. */
export type AskingFor = "probe" | "lifecycle";

/** How a probe or a hook introduces itself (pkg/probe/http/request.go). */
export function userAgent(purpose: AskingFor): string {
  return `kube-${purpose}/1.33`;
}

/** As Go writes an address: an IPv6 host stands in brackets. */
export function joinHostPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Why a connection failed, in Go's words, which is what users search for. */
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
