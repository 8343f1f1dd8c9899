import { connect } from "node:tls";
import type { Ingress } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority } from "@kintsugi/pki";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "@kintsugi/daemon";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually, runProgram } from "../support/run-program.ts";

const lacking =
  whyNoKubectlCluster() ??
  (findProgram("haproxy", process.env["PATH"] ?? "") === undefined ? "there is no haproxy" : undefined);

/** A web server that answers with the name of its pod, and is ready while a file exists. */
const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: c
          image: "busybox:1"
          command: [sh, -c, "mkdir -p /www/shop && touch /www/ready && hostname > /www/index.html && hostname > /www/shop/index.html && exec httpd -f -p 8080 -h /www"]
          readinessProbe: {exec: {command: [cat, /www/ready]}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: [web.example], secretName: web-tls}]
  rules:
    - host: web.example
      http:
        paths:
          - {path: /shop, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}
          - {path: /gone, pathType: Prefix, backend: {service: {name: gone, port: {number: 80}}}}
`;

describe.skipIf(sayWhyNot("Ingress", lacking))("Ingress in a real cluster", () => {
  let cluster: LabCluster;
  let address = "";

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "ingress", nodes: 2, args: ["--ingress"] });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  async function ask(path: string, host = "web.example"): Promise<string> {
    const args = ["-sS", "-m", "5", "-w", "\n%{http_code}", "-H", `Host: ${host}`, `http://${address}${path}`];
    const { stdout } = await runProgram("curl", args);
    return stdout.trim().split(/\s+/).join(" ");
  }

  async function podsThatAnswer(): Promise<string[]> {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask("/shop/")));
    return [...new Set(answers)].toSorted();
  }

  const podNames = async () =>
    (await cluster.kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].metadata.name}")).split(" ");

  test("gets the default class, is reported with an address, and leads to its pods", async () => {
    await cluster.apply(web);
    const point = async () => {
      const ingress = await cluster.get<Ingress>("ingress", "web");
      expect(ingress.spec?.ingressClassName).toBe("kintsugi");
      address = ingress.status?.loadBalancer?.ingress?.[0]?.ip ?? "";
      return address !== "";
    };
    await eventually("the Ingress has an address", point, 30_000);
    await eventually("both pods answer", async () => (await podsThatAnswer()).length === 2, 60_000);
    expect(await podsThatAnswer()).toEqual((await podNames()).toSorted().map((name) => `${name} 200`));
    expect(await ask("/shopping")).toMatch(/404$/);
    expect(await ask("/shop/", "other.example")).toMatch(/404$/);
    expect(await ask("/gone")).toMatch(/503$/);
    await eventually("the missing Service is reported", async () =>
      (await cluster.kubectl("get", "events")).includes("ServiceNotFound"),
    );
  });

  test("a pod that is not ready does not get requests, and no request is lost while a pod is replaced", async () => {
    const [first = "", second = ""] = await podNames();
    await cluster.kubectl("exec", first, "--", "rm", "/www/ready");
    await eventually("only the other answers", async () => (await podsThatAnswer()).join() === `${second} 200`, 30_000);
    await cluster.kubectl("exec", first, "--", "touch", "/www/ready");
    await eventually("both answer", async () => (await podsThatAnswer()).length === 2, 30_000);
    await cluster.kubectl("delete", "pod", second, "--wait=false");
    const statuses = new Set<string>();
    for (let i = 0; i < 100; i++) statuses.add((await ask("/shop/")).split(" ").at(-1) ?? "");
    expect([...statuses]).toEqual(["200"]);
  });

  test("serves the certificate of its Secret as soon as the Secret exists", async () => {
    expect(await certifiedName(address)).toBe("ingress.invalid");
    const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "test");
    const { certificate, key } = await authority.issue({
      commonName: "web.example",
      usages: ["server"],
      dnsNames: ["web.example"],
    });
    const data = { "tls.crt": certificate, "tls.key": key };
    await cluster.apply(
      JSON.stringify({
        apiVersion: "v1",
        kind: "Secret",
        type: "kubernetes.io/tls",
        metadata: { name: "web-tls" },
        stringData: data,
      }),
    );
    await eventually("it is served", async () => (await certifiedName(address)) === "web.example", 20_000);
  });

  test("requests continue while the controller is killed, and it takes over the running gateway", async () => {
    const before = await cluster.pidOf("ingress-controller");
    process.kill(before, "SIGKILL");
    for (let i = 0; i < 20; i++) expect(await ask("/shop/")).toMatch(/200$/);
    await eventually("it is back", async () => (await cluster.pidOf("ingress-controller")) !== before, 20_000);
    await cluster.kubectl("scale", "deployment", "web", "--replicas=1");
    await eventually("one answers", async () => (await podsThatAnswer()).length === 1, 30_000);
    expect(await podsThatAnswer()).toEqual([expect.stringMatching(/ 200$/)]);
  });
});

function certifiedName(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: 443, servername: "web.example", rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
