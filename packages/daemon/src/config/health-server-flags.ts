import type { HealthServerOptions } from "../health-server.ts";
import { flag, type FlagValues } from "./flag.ts";

/**
 * Upstream's flags for the address and certificate of health and metrics; `name` is the name of the
 * program's certificate.
 */
export function healthServerFlags({ name, port }: { name: string; port: number }) {
  return {
    "bind-address": flag.text({ help: "Address to serve health and metrics on", fallback: "0.0.0.0" }),
    "secure-port": flag.port({ help: "Port to serve health and metrics on", fallback: port }),
    "tls-cert-file": flag.path({
      help: "Server certificate, PEM",
      required: true,
      example: `/etc/kintsugi/pki/${name}.crt`,
    }),
    "tls-private-key-file": flag.path({
      help: "Private key of the certificate, PEM",
      required: true,
      example: `/etc/kintsugi/pki/${name}.key`,
    }),
    "client-ca-file": flag.path({
      help: "Certificate authority of the clients that may read metrics, PEM",
      required: true,
      key: "clientCAFile",
      example: "/etc/kintsugi/pki/ca.crt",
    }),
  };
}

/** The options of `createHealthServer` that were given. */
export function healthServerConfig(given: FlagValues<ReturnType<typeof healthServerFlags>>): HealthServerOptions {
  return {
    bindAddress: given["bind-address"],
    port: given["secure-port"],
    certFile: given["tls-cert-file"],
    keyFile: given["tls-private-key-file"],
    clientCaFile: given["client-ca-file"],
  };
}
