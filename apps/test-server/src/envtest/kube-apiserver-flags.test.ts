import { expect, test } from "vitest";
import { readKubeApiserverFlags } from "./kube-apiserver-flags.ts";

const ofEnvtest = [
  "--allow-privileged=true",
  "--authorization-mode=RBAC",
  "--bind-address=127.0.0.1",
  "--cert-dir=/certs",
  "--client-ca-file=/certs/client-cert-auth-ca.crt",
  "--disable-admission-plugins=ServiceAccount",
  "--etcd-servers=http://127.0.0.1:2379",
  "--secure-port=40123",
  "--service-account-issuer=https://127.0.0.1:40123/",
  "--service-account-key-file=/certs/sa-signer.crt",
  "--service-account-signing-key-file=/certs/sa-signer.key",
  "--service-cluster-ip-range=10.0.0.0/24",
];

test("envtest's flags set its files, port and range, and every flag has an effect", () => {
  const config = readKubeApiserverFlags(ofEnvtest, {});
  expect(config).toMatchObject({
    bindAddress: "127.0.0.1",
    port: 40_123,
    controllers: true,
    withoutEffect: [],
    server: { serviceClusterIpRange: "10.0.0.0/24" },
    files: {
      certificate: "/certs/apiserver.crt",
      key: "/certs/apiserver.key",
      clientCa: "/certs/client-cert-auth-ca.crt",
      issuer: "https://127.0.0.1:40123/",
    },
  });
  expect(config.server.admissionPlugins).not.toContain("ServiceAccount");
  expect(config.fleet.kubelets.map(({ nodeName }) => nodeName)).toEqual(["node-1"]);
});

test("upstream flags that have no effect here are reported, without their values", () => {
  const { withoutEffect, port } = readKubeApiserverFlags(
    ["--audit-log-path", "/tmp/x", "-v=5", "--secure-port", "1234", "--watch-cache=false"],
    {},
  );
  expect(withoutEffect).toEqual(["--audit-log-path", "-v", "--watch-cache"]);
  expect(port).toBe(1234);
});

test("a suite that expects no controllers has neither controllers nor nodes", () => {
  const config = readKubeApiserverFlags(ofEnvtest, {
    KINTSUGI_ENVTEST_CONTROLLERS: "off",
    KINTSUGI_ENVTEST_NODES: "3",
  });
  expect(config).toMatchObject({ controllers: false, fleet: { kubelets: [] } });
  expect(readKubeApiserverFlags(ofEnvtest, { KINTSUGI_ENVTEST_NODES: "3" }).fleet.kubelets).toHaveLength(3);
});

test.each([
  [["--bind-address=localhost"], {}, /--bind-address must be an IP address/],
  [["--tls-cert-file=/a"], {}, /must be used together/],
  [["--disable-admission-plugins=NoSuch"], {}, /"NoSuch" is unknown/],
  [[], { KINTSUGI_ENVTEST_CONTROLLERS: "maybe" }, /must be on or off, not "maybe"/],
  [[], { KINTSUGI_ENVTEST_NODES: "-1" }, /must be a whole number/],
])("bad input is reported with a sentence: %#", (argv, environment, sentence) => {
  expect(() => readKubeApiserverFlags(argv, environment)).toThrow(sentence);
});
