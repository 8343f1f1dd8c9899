import { createServer, type Server } from "node:https";
import { type AddressInfo, BlockList } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { TestCertificates } from "../../testing/test-certificates.ts";
import { createWebhookHttpsTransport } from "./webhook-https-transport.ts";
import { webhookAnswerBytesMax } from "./webhook-transport.ts";

describe("a webhook behind a Service", () => {
  const certificates = new TestCertificates().authority();
  certificates.issue("hook", "/CN=hook.default.svc", { usage: "serverAuth" });
  const received: { host: string | undefined; url: string | undefined; body: string }[] = [];
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    const [key, cert] = ["hook.key", "hook.crt"].map((file) => certificates.read(file));
    server = createServer({ key, cert }, (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
      request.on("end", () => {
        received.push({ host: request.headers.host, url: request.url, body });
        if (request.url === "/moved") response.writeHead(302, { location: "https://169.254.169.254/" }).end();
        else if (request.url === "/silent") return;
        else if (request.url === "/drip") response.write("{");
        else if (request.url === "/large") {
          const chunk = Buffer.alloc(1024 * 1024, 0x20);
          const more = (): void => {
            // The transport closes the connection long before 100 MB.
            for (let sent = 0; sent < 100 && !response.destroyed; sent++) {
              if (!response.write(chunk)) return void response.once("drain", more);
            }
            response.end();
          };
          more();
        } else if (request.url === "/headers") {
          response.writeHead(200, { "x-large": "x".repeat(100_000) }).end("{}");
        } else response.end("{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    certificates[Symbol.dispose]();
  });

  const post = (path: string, more: { host?: string; ca?: string; refused?: BlockList; signal?: AbortSignal } = {}) =>
    createWebhookHttpsTransport({ refused: more.refused ?? new BlockList() }).post(
      {
        url: `https://${more.host ?? "hook.default.svc"}:443${path}`,
        endpoint: { address: "127.0.0.1", port },
        ca: more.ca ?? certificates.read("ca.crt"),
      },
      '{"a":1}',
      more.signal ?? new AbortController().signal,
    );

  test("is called at an endpoint address and verified by the Service's name", async () => {
    expect(await post("/check?timeout=10s")).toEqual({ status: 200, body: "{}" });
    expect(received.at(-1)).toEqual({ host: "hook.default.svc", url: "/check?timeout=10s", body: '{"a":1}' });
  });

  test("does not receive a review if its certificate has another name", async () => {
    const count = received.length;
    await expect(post("/check", { host: "other.default.svc" })).rejects.toThrow(/does not match certificate/);
    expect(received).toHaveLength(count);
  });

  test("does not receive a review if its authority is not the configured authority", async () => {
    const count = received.length;
    using others = new TestCertificates().authority();
    await expect(post("/check", { ca: others.read("ca.crt") })).rejects.toThrow(/certificate|self-signed/);
    expect(received).toHaveLength(count);
  });

  test.each(["rubbish", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])(
    "of the authority %j is not called",
    async (ca) => {
      await expect(post("/check", { ca })).rejects.toThrow(
        "unable to load root certificates: unable to parse bytes as PEM block",
      );
    },
  );

  test("at an address of the machine itself is not called", async () => {
    const refused = new BlockList();
    refused.addSubnet("127.0.0.0", 8);
    await expect(post("/check", { refused })).rejects.toThrow("address not allowed");
  });

  test("is not followed to another address by a redirect", async () => {
    expect((await post("/moved")).status).toBe(302);
  });

  test("that answers with 100 MB is aborted at the limit", async () => {
    await expect(post("/large")).rejects.toThrow(`the answer has more than ${webhookAnswerBytesMax} bytes`);
  });

  test("that answers with large headers is aborted", async () => {
    await expect(post("/headers")).rejects.toThrow(/Header overflow/);
  });

  test.each(["/silent", "/drip"])("that never ends (%s) is aborted by the signal", async (path) => {
    const stop = new AbortController();
    const call = post(path, { signal: stop.signal });
    const count = received.length;
    await vi.waitFor(() => expect(received.length).toBeGreaterThan(count));
    stop.abort(new Error("context deadline exceeded"));
    await expect(call).rejects.toThrow(/abort/);
  });
});
