import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;

testDocumentedFile("ingress-controller", program, { kubeconfig: "/etc/kintsugi/ingress-controller.kubeconfig" });

const required = ["--kubeconfig=/k", "--tls-cert-file=/c", "--tls-private-key-file=/k", "--client-ca-file=/a"];
const read = (...flags: string[]) => readConfig([...required, ...flags]);

test("requests are served on the usual ports, at the published address", () => {
  expect(read("--serve-address=192.0.2.1")).toMatchObject({
    address: "192.0.2.1",
    publishAddress: "192.0.2.1",
    httpPort: 80,
    httpsPort: 443,
  });
});

test.each([
  [["--serve-address=lb.example"], /--serve-address must be an IP address/],
  [["--serve-address=192.0.2.1", "--publish-address=a b"], /--publish-address "a b"/],
  [["--serve-address=192.0.2.1", "--http-port=443"], /both 443/],
  [["--serve-address=192.0.2.1", `--directory=/${"d".repeat(80)}`], /may have 80 characters/],
])("%s is rejected", (flags, message) => {
  expect(() => read(...flags)).toThrow(message);
});
