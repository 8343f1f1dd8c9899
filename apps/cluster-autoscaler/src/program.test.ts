import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { upstreamOptions } from "./model/options.ts";
import { program } from "./program.ts";

testDocumentedFile("cluster-autoscaler", program, { kubeconfig: "/etc/kintsugi/cluster-autoscaler.kubeconfig" });

test("the defaults equal the upstream autoscaler's defaults", () => {
  const tls = ["--tls-cert-file=/c", "--tls-private-key-file=/k", "--client-ca-file=/a"];
  const config = program.readConfig(["--kubeconfig=/k", "--cloud-socket=/run/cloud.sock", ...tls]);
  expect(config).toMatchObject({ cloudSocket: "/run/cloud.sock", scaling: upstreamOptions });
});
