import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { readConfig, sample } from "./config.ts";

testDocumentedFile({
  service: "api-server",
  sample,
  read: (argv) => readConfig(argv).dataDir,
  expected: "/var/lib/kintsugi/store",
});

const required = ["data-dir", "tls-cert-file", "tls-private-key-file", "client-ca-file"].map((name) => `--${name}=/x`);

test("addresses to serve on are addresses, and no names", () => {
  expect(readConfig([...required, "--bind-address=127.0.0.1,::1"]).bindAddresses).toEqual(["127.0.0.1", "::1"]);
  expect(() => readConfig([...required, "--bind-address=127.0.0.1,localhost"])).toThrow(
    '--bind-address must be an IP address, not "localhost".',
  );
});

test("0 streams for each connection are the default, as upstream", () => {
  const streams = (...args: string[]) => readConfig([...required, ...args]).streamsPerConnectionMax;
  expect([streams(), streams("--http2-max-streams-per-connection=0")]).toEqual([undefined, undefined]);
  expect(streams("--http2-max-streams-per-connection=32")).toBe(32);
});
