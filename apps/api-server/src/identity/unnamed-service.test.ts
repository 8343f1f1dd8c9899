import { expect, test } from "vitest";
import { TestCertificates } from "../testing/test-certificates.ts";
import { warnOfUnnamedService } from "./unnamed-service.ts";

test.each([
  ["nothing if the certificate contains the Service's address", "IP:127.0.0.1,IP:10.96.0.1", 0],
  ["a warning if the certificate lacks it", "IP:127.0.0.1,DNS:10.96.0.1.example.com", 1],
])("a server behind the Service kubernetes logs %s", (_, altNames, warnings) => {
  using certificates = new TestCertificates().authority();
  certificates.issue("server", "/CN=api-server", { usage: "serverAuth", altNames });
  const said: string[] = [];
  const log = { warn: (phrase: string) => void said.push(phrase) };
  warnOfUnnamedService(certificates.read("server.crt"), { serviceIp: "10.96.0.1", log });
  expect(said).toHaveLength(warnings);
});
