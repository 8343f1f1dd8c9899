import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { listenTls, type TlsServer, type TlsServerDeps } from "../transport/tls-server.ts";
import type { TestCertificates } from "./test-certificates.ts";
import { testGuard } from "./test-guard.ts";

/** Listens on a free port of 127.0.0.1 with the certificates `server` and `ca`. */
export function listenWith(certificates: TestCertificates, handle: TlsServerDeps["handle"]): Promise<TlsServer> {
  const tls = {
    key: certificates.read("server.key"),
    cert: certificates.read("server.crt"),
    ca: certificates.read("ca.crt"),
  };
  const deps = { handle, clock: systemClock, log: silentLogger, guard: testGuard() };
  return listenTls(deps, { bindAddress: "127.0.0.1", port: 0, tls });
}
