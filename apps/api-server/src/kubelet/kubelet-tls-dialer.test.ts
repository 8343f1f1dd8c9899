import { createServer, type Server } from "node:https";
import { type AddressInfo, BlockList } from "node:net";
import { isApiError } from "@kintsugi/api";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { TestCertificates } from "../testing/test-certificates.ts";
import { assertDialable, createKubeletTlsDialer, lastContext, refusedAddresses } from "./kubelet-tls-dialer.ts";

describe("addresses that a Node may claim for its kubelet", () => {
  const refused = refusedAddresses(["10.0.0.1", "fd00::1"]);
  const dialable = (address: string, port = 10250): boolean => {
    try {
      assertDialable({ nodeName: "n1", address, port }, refused);
      return true;
    } catch (error) {
      expect(isApiError(error, "BadRequest")).toBe(true);
      return false;
    }
  };

  test.each(["10.0.0.2", "192.168.56.11", "172.16.0.1", "fd00::2"])("%s may", (address) => {
    expect(dialable(address)).toBe(true);
  });

  test.each([
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "169.254.169.254",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "::ffff:127.0.0.1",
    "10.0.0.1",
    "fd00::1",
    "localhost",
    "metadata.internal",
    "",
  ])("%s cannot be claimed", (address) => {
    expect(dialable(address)).toBe(false);
  });

  test.each([0, -1, 65536, 1.5])("port %d cannot be claimed", (port) => {
    expect(dialable("10.0.0.2", port)).toBe(false);
  });
});

describe("a kubelet", () => {
  const certificates = new TestCertificates().authority();
  certificates
    .issue("api", "/CN=kube-apiserver")
    .issue("n1", "/O=system:nodes/CN=system:node:n1", { usage: "serverAuth" });
  const asked: string[] = [];
  let kubelet: Server;
  let port = 0;

  beforeAll(async () => {
    const [key, cert, ca] = ["n1.key", "n1.crt", "ca.crt"].map((file) => certificates.read(file));
    kubelet = createServer({ key, cert, ca, requestCert: true, rejectUnauthorized: true }, (request, response) => {
      asked.push(request.url ?? "");
      if (request.url === "/moved") response.writeHead(302, { location: "https://169.254.169.254/" }).end();
      else if (request.url === "/endless") response.write("hello\n");
      else response.end("hello\n");
    });
    await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
    port = (kubelet.address() as AddressInfo).port;
  });

  afterAll(async () => {
    kubelet.closeAllConnections();
    await new Promise((resolve) => kubelet.close(resolve));
    certificates[Symbol.dispose]();
  });

  const dialer = (dialsMax?: number) =>
    createKubeletTlsDialer({
      ...(dialsMax === undefined ? {} : { dialsMax }),
      credentials: () => ({
        cert: certificates.read("api.crt"),
        key: certificates.read("api.key"),
        ca: certificates.read("ca.crt"),
      }),
      ownAddresses: [],
      // The test's kubelet uses an address that a real kubelet may not have.
      refused: new BlockList(),
    });

  test("is called over mutual TLS and verified by its node's name", async () => {
    const response = await dialer().get(
      { nodeName: "n1", address: "127.0.0.1", port },
      "/logs",
      new AbortController().signal,
    );
    let text = "";
    for await (const chunk of response.body) text += Buffer.from(chunk).toString("utf8");
    expect([response.status, text]).toEqual([200, "hello\n"]);
  });

  test("is called with credentials that are parsed once, until they change", () => {
    const contextOf = lastContext();
    const [cert, key, ca] = [certificates.read("api.crt"), certificates.read("api.key"), certificates.read("ca.crt")];
    const first = contextOf({ cert, key, ca });
    expect(contextOf({ cert, key, ca })).toBe(first);
    expect(contextOf({ cert, key, ca: certificates.read("api.crt") })).not.toBe(first);
  });

  test("is not called at the connection limit, and is called again when a connection closes", async () => {
    const target = { nodeName: "n1", address: "127.0.0.1", port };
    const limited = dialer(1);
    const leaving = new AbortController();
    await limited.get(target, "/endless", leaving.signal);
    const refused = limited.get(target, "/logs", new AbortController().signal);
    await expect(refused).rejects.toMatchObject({ reason: "TooManyRequests" });
    leaving.abort();
    await vi.waitFor(async () => {
      expect((await limited.get(target, "/logs", new AbortController().signal)).status).toBe(200);
    });
  });

  test("of another node does not receive a request", async () => {
    asked.length = 0;
    const asking = dialer().get({ nodeName: "n2", address: "127.0.0.1", port }, "/logs", new AbortController().signal);
    await expect(asking).rejects.toThrow(/does not match certificate/);
    expect(asked).toEqual([]);
  });

  test("is not followed to another address by a redirect", async () => {
    const response = await dialer().get(
      { nodeName: "n1", address: "127.0.0.1", port },
      "/moved",
      new AbortController().signal,
    );
    expect(response.status).toBe(502);
  });
});
