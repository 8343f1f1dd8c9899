import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:tls";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority, openAuthority } from "@kintsugi/pki";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiServerNames } from "./api-server-names.ts";

const deps = { clock: systemClock, random: systemRandom };
const never = new AbortController().signal;
let server: Server;
let place: { server: string; ca: string };
let connections = 0;

beforeAll(async () => {
  const pair = await createAuthority(deps, "kubernetes");
  const authority = await openAuthority(deps, pair);
  const issued = await authority.issue({
    commonName: "kube-apiserver",
    usages: ["server"],
    dnsNames: ["localhost", "api.example.com"],
    ipAddresses: ["127.0.0.1", "10.96.0.1"],
  });
  server = createServer({ cert: issued.certificate, key: issued.key });
  server.on("connection", () => connections++);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  place = { server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: pair.certificate };
});
afterAll(() => server.close());

test("the names are those of the server's certificate, and are queried only once in an interval", async () => {
  const names = apiServerNames(systemClock, place);
  const expected = ["localhost", "api.example.com", "127.0.0.1", "10.96.0.1"];
  expect(await names(never)).toEqual(expected);
  expect(await names(never)).toEqual(expected);
  expect(connections).toBe(1);
});

test("a server of another authority, or an unreachable server, provides no names", async () => {
  const other = (await createAuthority(deps, "other")).certificate;
  const because = /^certificate of the API server at https:\/\/127\.0\.0\.1:\d+ not read: /;
  await expect(apiServerNames(systemClock, { ...place, ca: other })(never)).rejects.toThrow(because);
  await expect(apiServerNames(systemClock, { ...place, server: "https://127.0.0.1:1" })(never)).rejects.toThrow(
    because,
  );
  await expect(apiServerNames(systemClock, place)(AbortSignal.abort())).rejects.toThrow(because);
});
