import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;

testDocumentedFile("api-server", program, { dataDir: "/var/lib/kintsugi/store" });

const required = ["data-dir", "tls-cert-file", "tls-private-key-file", "client-ca-file"].map((name) => `--${name}=/x`);

test("listen addresses are addresses and not names", () => {
  expect(readConfig([...required, "--bind-address=127.0.0.1,::1"]).bindAddresses).toEqual(["127.0.0.1", "::1"]);
  expect(() => readConfig([...required, "--bind-address=127.0.0.1,localhost"])).toThrow(
    '--bind-address must be an IP address, not "localhost".',
  );
});

test("the default number of streams for each connection is 0", () => {
  const streams = (...args: string[]) => readConfig([...required, ...args]).streamsPerConnectionMax;
  expect([streams(), streams("--http2-max-streams-per-connection=0")]).toEqual([undefined, undefined]);
  expect(streams("--http2-max-streams-per-connection=32")).toBe(32);
});

test("etcd is reached by https with certificates, or by http without certificates", () => {
  const etcd = (...args: string[]) => readConfig([...required, ...args]).etcd;
  const files = ["--etcd-cafile=/a", "--etcd-certfile=/b", "--etcd-keyfile=/c"];
  expect(etcd()).toBeUndefined();
  expect(etcd("--etcd-servers=http://127.0.0.1:2379", "--cluster-name=lab")).toEqual({
    endpoints: ["127.0.0.1:2379"],
    tls: undefined,
    prefix: "/kintsugi/lab",
    quotaBytes: 2 * 1024 ** 3,
  });
  expect(
    etcd("--etcd-servers=https://a:1,https://b:2", "--etcd-prefix=/x", "--etcd-quota-backend-bytes=9", ...files),
  ).toEqual({
    endpoints: ["a:1", "b:2"],
    tls: { caFile: "/a", certFile: "/b", keyFile: "/c" },
    prefix: "/x",
    quotaBytes: 9,
  });
  expect(() => etcd("--etcd-servers=https://a:1")).toThrow("https URLs require them");
  expect(() => etcd("--etcd-servers=http://a:1", ...files)).toThrow("https URLs if certificates are set");
  expect(() => etcd(...files)).toThrow("need --etcd-servers");
  expect(() => etcd("--etcd-servers=a:1")).toThrow("is not a URL like");
  expect(() => etcd("--etcd-servers=http://a:1", "--etcd-prefix=/")).toThrow("--etcd-prefix must be");
});

test("traces are sent to a collector's address, whose path is optional, and are off by default", () => {
  const endpoint = (...args: string[]) => readConfig([...required, ...args]).tracesEndpoint;
  expect(endpoint()).toBeUndefined();
  expect(endpoint("--recovery-traces-endpoint=http://127.0.0.1:4318")).toBe("http://127.0.0.1:4318/v1/traces");
  expect(endpoint("--recovery-traces-endpoint=https://a.example/otlp")).toBe("https://a.example/otlp");
  expect(() => endpoint("--recovery-traces-endpoint=127.0.0.1:4318")).toThrow(
    '--recovery-traces-endpoint must be a URL of http or https, such as http://127.0.0.1:4318, not "127.0.0.1:4318".',
  );
  expect(() => endpoint("--recovery-traces-endpoint=http://a:b@c")).toThrow("OTEL_EXPORTER_OTLP_HEADERS");
});
