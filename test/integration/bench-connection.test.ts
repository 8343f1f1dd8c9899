import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openConnection, requestBytes, type ServerAccess } from "../bench/api/http-connection.ts";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-bench-connection-"));
const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
let server: Server;
let access: ServerAccess;
/** The server's reaction to a request. */
let react: (socket: TLSSocket) => void;

beforeAll(async () => {
  const [key, cert] = [join(directory, "key"), join(directory, "crt")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync("openssl", ["req", "-x509", "-nodes", "-keyout", key, "-out", cert, ...curve, ...subject], {
    stdio: "ignore",
  });
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", () => react(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  access = { server: `https://127.0.0.1:${port}`, ca: readFileSync(cert, "utf8") };
});

afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

test("a request on a connection that the server has closed is rejected", async () => {
  react = (socket) => socket.end(answer);
  const connection = await openConnection(access);
  const request = requestBytes(access, "GET", "/livez");
  expect(await connection.send(request)).toBe(200);
  for (let i = 0; i < 3; i++) await expect(connection.send(request)).rejects.toThrow("closed the connection");
  await expect(connection.read(request)).rejects.toThrow("closed the connection");
  await expect(connection.download(request)).rejects.toThrow("closed the connection");
});

test.each(["send", "read", "download"] as const)(
  "a connection that ends without a response rejects %s",
  async (way) => {
    react = (socket) => socket.destroy();
    const connection = await openConnection(access);
    const request = requestBytes(access, "GET", "/livez");
    await expect(connection[way](request)).rejects.toThrow(/closed the connection|ECONNRESET/);
  },
);
