import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallerIdentity, RequestHandler } from "../in-process/request-handler.ts";

/** A self-signed certificate, newly made by openssl. */
export interface SelfSigned {
  cert: string;
  key: string;
}

/** @param names The names and addresses of the certificate, as openssl's `subjectAltName`. */
export function makeSelfSigned(names = "IP:127.0.0.1"): SelfSigned {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-client-"));
  try {
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    execFileSync(
      "openssl",
      // prettier-ignore
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
        "-subj", "/CN=127.0.0.1", "-addext", `subjectAltName=${names}`, "-keyout", key, "-out", cert],
      { stdio: "ignore" },
    );
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Puts a handler behind HTTPS on a free port of the loopback, for tests of the HTTP client. */
export async function serveOverHttps(
  handler: RequestHandler,
  tls: SelfSigned,
  identity: CallerIdentity,
): Promise<{ url: string; server: Server; close: () => Promise<void> }> {
  const server = createServer(tls, (request, response) => {
    answer(handler, { request, response, identity }).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Served {
  request: IncomingMessage;
  response: ServerResponse;
  identity: CallerIdentity;
}

async function answer(handler: RequestHandler, { request, response, identity }: Served): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { status, headers, body } = await handler.handle({
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    identity,
    signal: gone.signal,
  });
  response.writeHead(status, headers);
  response.flushHeaders();
  if (body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  for await (const frame of body) response.write(frame);
  response.end();
}
