import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

testDocumentedFile("csi-controller", program, { kubeconfig: "/etc/kintsugi/csi-controller.kubeconfig" });

test("the driver is reached through a socket, and has upstream's 15 seconds to respond", () => {
  const tls = ["--tls-cert-file=/c", "--tls-private-key-file=/k", "--client-ca-file=/a"];
  const config = program.readConfig(["--kubeconfig=/k", "--csi-address=/run/csi.sock", ...tls]);
  expect(config).toMatchObject({ endpoint: "unix:///run/csi.sock", callTimeoutMs: 15_000 });
});
