import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSelfSigned } from "../testing/https-server.ts";
import { expectedName } from "./expected-name.ts";

let server: Server;
let ca: string;
const indicated: string[] = [];

beforeAll(async () => {
  const certified = makeSelfSigned("DNS:api.example,IP:192.0.2.7");
  ca = certified.cert;
  server = createServer({
    ...certified,
    SNICallback: (name, callback) => {
      indicated.push(name);
      callback(null);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void server.close());

function outcome(name: string | undefined): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, ca, ...expectedName(name) });
    socket.once("error", ({ message }) => resolve(message));
    socket.once("secureConnect", () => {
      resolve("connected");
      socket.destroy();
    });
  });
}

test.each([
  ["a name of the certificate", "api.example", "connected", ["api.example"]],
  ["an address of the certificate", "192.0.2.7", "connected", []],
  [
    "another name",
    "other.example",
    expect.stringContaining("does not match certificate's altnames"),
    ["other.example"],
  ],
  ["another address", "192.0.2.8", expect.stringContaining("does not match certificate's altnames"), []],
  ["the host, which the certificate lacks", undefined, expect.stringContaining("IP: 127.0.0.1 is not in"), []],
])("a server is expected to have %s", async (_, name, result, indication) => {
  indicated.length = 0;
  expect(await outcome(name)).toEqual(result);
  expect(indicated).toEqual(indication);
});
