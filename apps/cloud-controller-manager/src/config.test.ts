import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { readConfig, sample } from "./config.ts";

testDocumentedFile({
  service: "cloud-controller-manager",
  sample,
  read: (argv) => readConfig(argv).kubeconfig,
  expected: "/etc/kintsugi/cloud-controller-manager.kubeconfig",
});

test("the cloud is asked about silent nodes as often as upstream asks", () => {
  const tls = ["--tls-cert-file=/c", "--tls-private-key-file=/k", "--client-ca-file=/a"];
  const config = readConfig(["--kubeconfig=/k", "--cloud-socket=/run/cloud.sock", ...tls]);
  expect(config).toMatchObject({ cloudSocket: "/run/cloud.sock", timers: { nodeMonitorPeriodMs: 5_000 } });
});
