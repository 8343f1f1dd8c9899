import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, BlockList } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { receivers, serveOverTls } from "../testing/served-over-tls.ts";
import { TestCertificates } from "../testing/test-certificates.ts";
import { aPod, podsPath } from "../testing/test-server.ts";
import { createBackendHttpDialer } from "./backend-http-dialer.ts";

// A pod whose address is this machine's loopback, which no real pod has, and a server at that
// address.

describe.each(receivers)("received by %s", (receiver) => {
  let served: Awaited<ReturnType<typeof serveOverTls>>;
  let backend: Server;
  let web: string;
  let lastBody: IncomingMessage | undefined;
  const seen: IncomingMessage[] = [];

  beforeAll(async () => {
    const backendDialer = createBackendHttpDialer({ ownAddresses: [], refused: new BlockList() });
    served = await serveOverTls({ backendDialer }, receiver);
    backend = createServer(answer);
    const webSockets = new WebSocketServer({ noServer: true });
    backend.on("upgrade", (request, socket, head) => {
      seen.push(request);
      if (request.url?.startsWith("/refused") === true) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\nno");
      if (request.url?.startsWith("/ignored") === true) return void socket.end("HTTP/1.1 200 OK\r\n\r\nhello");
      webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on("message", (data: Buffer) => webSocket.send(`${request.url} ${data.toString()}`));
      });
    });
    backend.listen(0, "127.0.0.1");
    await once(backend, "listening");
    await served.server.post(podsPath, aPod("web"));
    const status = { phase: "Running", podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] };
    await served.server.patch(`${podsPath}/web/status`, { status });
    web = `${podsPath}/web:${(backend.address() as AddressInfo).port}/proxy`;
  });

  afterAll(async () => {
    backend.closeAllConnections();
    backend.close();
    await served[Symbol.asyncDispose]();
  });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    seen.push(request);
    const { pathname } = new URL(request.url ?? "/", "http://backend");
    switch (pathname) {
      case "/page":
        return void response
          .writeHead(200, { "content-type": "text/html; charset=utf-8" })
          .end('<a href="/next">next</a>');
      case "/moved":
        return void response.writeHead(302, { location: `http://${request.headers.host ?? ""}/next?a=b` }).end();
      case "/cookies":
        return void response.setHeader("set-cookie", ["a=1", "b=2"]).end();
      case "/broken":
        return void response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy());
      case "/unread":
        lastBody = request;
        return;
      case "/refuses":
        return void response.writeHead(413, { connection: "close" }).end("too much");
      default: {
        let bytes = 0;
        request.on("data", (chunk: Buffer) => (bytes += chunk.byteLength));
        request.on("end", () => response.end(`${request.method} ${request.url} ${bytes}`));
      }
    }
  }

  describe.each(["http1", "http2"] as const)("by %s", (protocol) => {
    test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
      "%s reaches the server with its query",
      async (method) => {
        const body = method === "GET" ? undefined : "hello";
        const { status, text } = await served[protocol](`${web}/some/path/?a=%2F&b`, { method, body });
        expect([status, text]).toEqual([200, `${method} /some/path/?a=%2F&b ${body?.length ?? 0}`]);
      },
    );

    test("HEAD is answered without a body", async () => {
      expect(await served[protocol](`${web}/page`, { method: "HEAD" })).toMatchObject({
        status: 200,
        text: "",
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    });

    test("the proxy's own path leads to the server's root, to which browsers are redirected first", async () => {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers } = await served[protocol](`${web}?a=b`, { method });
        expect([status, headers.location]).toEqual([301, `${web}/?a=b`]);
      }
      expect(await served[protocol](web, { method: "POST", body: "x" })).toMatchObject({
        status: 200,
        text: "POST / 1",
      });
    });

    test("links and redirects of pages lead back through the proxy", async () => {
      expect((await served[protocol](`${web}/page`)).text).toBe(`<a href="${web}/next">next</a>`);
      const { status, headers } = await served[protocol](`${web}/moved`);
      expect([status, headers.location]).toEqual([
        302,
        expect.stringMatching(new RegExp(`^http://127.*${web}/next\\?a=b$`)),
      ]);
    });

    test("cookies are kept apart per backend, and a browser's Accept is forwarded", async () => {
      const { headers } = await served[protocol](`${web}/cookies`, { headers: { accept: "text/html" } });
      expect(headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    });

    test("the server receives nothing that identifies the client", async () => {
      seen.length = 0;
      const headers = { authorization: "Bearer secret", "x-remote-user": "admin", "x-own": "1", cookie: "c=1; d=2" };
      await served[protocol](`${web}/headers`, { headers });
      const { authorization, host, ...rest } = seen[0]?.headers ?? {};
      expect([authorization, rest["x-remote-user"]]).toEqual([undefined, undefined]);
      expect(rest).toMatchObject({ "x-own": "1", cookie: "c=1; d=2", "x-forwarded-for": "127.0.0.1" });
      expect(`https://${host}`).toBe(served.url);
    });

    test("a body larger than the API's own limit is streamed through", async () => {
      const chunk = Buffer.alloc(65_536, "x");
      const body = Readable.from(Array.from({ length: 100 }, () => chunk));
      const { text } = await served[protocol](`${web}/upload`, { method: "PUT", body });
      expect(text).toBe(`PUT /upload ${100 * 65_536}`);
    });

    test("a server that does not read slows down its client", async () => {
      let sent = 0;
      const endless = Readable.from(
        (function* () {
          for (;;) {
            sent += 65_536;
            yield Buffer.alloc(65_536);
          }
        })(),
      );
      const gone = served[protocol](`${web}/unread`, { method: "POST", body: endless }).catch(() => "broken");
      await expect.poll(() => lastBody !== undefined).toBe(true);
      let before = -1;
      // The writer stops when the buffers of the three sockets in between are full.
      await expect
        .poll(
          () => {
            const isStill = before === sent;
            before = sent;
            return isStill;
          },
          { interval: 300, timeout: 10_000 },
        )
        .toBe(true);
      expect(sent).toBeLessThan(32 * 1024 * 1024);
      lastBody?.destroy();
      lastBody = undefined;
      await gone;
      endless.destroy();
    });

    test("a response that breaks off does not look complete", async () => {
      await expect(served[protocol](`${web}/broken`)).rejects.toThrow(/aborted|NGHTTP2_INTERNAL_ERROR/);
    });

    test("a refused connection is reported", async () => {
      const { status, text } = await served[protocol](`${podsPath}/web:1/proxy/`, { method: "POST", body: "hello" });
      expect([status, JSON.parse(text).message]).toEqual([
        503,
        "error trying to reach service: connect ECONNREFUSED 127.0.0.1:1",
      ]);
    });
  });

  test("a server with a certificate of its own is reached as well", async () => {
    using certificates = new TestCertificates().authority();
    const [key, cert] = [certificates.read("ca.key"), certificates.read("ca.crt")];
    const secure = createTlsServer({ key, cert }, (_request, response) => response.end("secure"));
    secure.listen(0, "127.0.0.1");
    await once(secure, "listening");
    const { port } = secure.address() as AddressInfo;
    expect((await served.http2(`${podsPath}/https:web:${port}/proxy/`)).text).toBe("secure");
    secure.closeAllConnections();
    secure.close();
  });

  describe("a WebSocket", () => {
    const open = (path: string) =>
      new WebSocket(`${served.url.replace("https", "wss")}${path}`, { ...served.identity });

    test("is connected to the server's WebSocket", async () => {
      const webSocket = open(`${web}/chat?room=1`);
      await once(webSocket, "open");
      webSocket.send("hello");
      const [data] = (await once(webSocket, "message")) as [Buffer];
      expect(data.toString()).toBe("/chat?room=1 hello");
      webSocket.close();
      await once(webSocket, "close");
    });

    test.each([
      ["/refused", 403, "no"],
      ["/ignored", 500, "invalid upgrade response: status code 200"],
    ])("that the server answers without an upgrade at %s is rejected", async (path, status, text) => {
      const webSocket = open(`${web}${path}`);
      webSocket.on("error", () => {});
      const [, response] = (await once(webSocket, "unexpected-response")) as [unknown, IncomingMessage];
      expect(response.statusCode).toBe(status);
      let body = "";
      for await (const chunk of response) body += String(chunk);
      expect(body).toContain(text);
    });
  });

  test("at most a thousand requests are in flight, and finished requests make room for others", async () => {
    const held: (() => void)[] = [];
    const backendDialer = {
      send: () =>
        Promise.resolve({
          status: 200,
          headers: {},
          body: Readable.from([]),
          closed: new Promise<void>((resolve) => held.push(resolve)),
        }),
      upgrade: () => Promise.reject(new Error("not asked for")),
    };
    await using limited = await serveOverTls({ backendDialer }, receiver);
    await limited.server.post(podsPath, aPod("web"));
    await limited.server.patch(`${podsPath}/web/status`, {
      status: { podIP: "10.1.0.5", podIPs: [{ ip: "10.1.0.5" }] },
    });
    const ask = async () => (await limited.server.get(`${podsPath}/web/proxy/`)).status;
    for (let i = 0; i < 1000; i++) await ask();
    expect(await ask()).toBe(429);
    held.shift()?.();
    await expect.poll(ask).toBe(200);
  });

  test.each(["127.0.0.1", "169.254.169.254", "10.0.0.1", "224.0.0.1", "0.0.0.0"])(
    "%s is not a pod's address",
    async (address) => {
      const dialer = createBackendHttpDialer({ ownAddresses: ["10.0.0.1"] });
      const asked = { method: "GET", path: "/", headers: {}, body: undefined };
      const { signal } = new AbortController();
      for (const call of ["send", "upgrade"] as const)
        await expect(dialer[call]({ scheme: "http", address, port: 80 }, asked, signal)).rejects.toMatchObject({
          code: 400,
          message: "address not allowed",
        });
    },
  );
});
