import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster, whyNoPackage } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster() ?? whyNoPackage("nftables");

function pod(name: string, options: { node: string; namespace?: string }): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${options.namespace ?? "default"}, labels: {app: ${name}}}
spec:
  nodeName: ${options.node}
  terminationGracePeriodSeconds: 0
  containers:
  - name: c
    image: busybox:1
    command: [sh, -c, "mkdir /www && hostname > /www/index.html && httpd -p 8081 -h /www && exec httpd -f -p 8080 -h /www"]
    ports: [{name: web, containerPort: 8080}]
    readinessProbe: {httpGet: {port: 8080, path: /}, periodSeconds: 1}
---
`;
}

const service = `apiVersion: v1
kind: Service
metadata: {name: server}
spec: {selector: {app: server}, ports: [{port: 80, targetPort: 8080}]}
`;

const policy = (spec: string) => `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: server}
spec: ${spec}
`;

describe.skipIf(sayWhyNot("network policies", lacking))("the effects of NetworkPolicies on pods", () => {
  let cluster: LabCluster;
  const address: Record<string, string> = {};
  const clients = ["near", "far"];
  const foreign = ["-n", "other", "foreign"];

  /** Reports whether a pod gets an answer; a dropped packet takes the full timeout. */
  const reaches = async (from: readonly string[], to: string, port = 8080) => {
    const command = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | timeout 2 nc ${to} ${port} | grep -q server`;
    return (await cluster.tryKubectl(["exec", ...from, "--", "sh", "-c", command])).code === 0;
  };
  /** Returns the clients that reach the server; rules follow their policy after a moment. */
  const thoseThatReach = async (port = 8080) => {
    const all = [["near"], ["far"], foreign];
    const got = await Promise.all(all.map((from) => reaches(from, address["server"] ?? "", port)));
    return all.filter((_, i) => got[i]).map((from) => from.at(-1));
  };
  const eventuallyReach = (expected: readonly string[], port?: number) =>
    eventually(
      `${expected.join(", ") || "no client"} and no other client reaches the server`,
      async () => (await thoseThatReach(port)).join() === expected.join(),
    );

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "policies", nodes: 2, proxy: true });
    await cluster.kubectl("create", "namespace", "other");
    await cluster.kubectl("label", "namespace", "other", "team=b");
    await cluster.apply(
      pod("server", { node: "node-1" }) +
        pod("near", { node: "node-1" }) +
        pod("far", { node: "node-2" }) +
        pod("foreign", { node: "node-2", namespace: "other" }) +
        service,
    );
    await cluster.kubectl("wait", "pod", "server", ...clients, "--for=condition=Ready", "--timeout=60s");
    await cluster.kubectl("wait", "pod", "-n", "other", "foreign", "--for=condition=Ready", "--timeout=60s");
    address["server"] = (await cluster.get("pod", "server")).status.podIP ?? "";
    address["service"] = await cluster.clusterIp("server");
  });
  afterAll(async () => cluster?.[Symbol.asyncDispose]());

  test("pods are open until a policy selects them, and then reach only allowed peers", async () => {
    await eventuallyReach(["near", "far", "foreign"]);
    await cluster.apply(policy(`{podSelector: {matchLabels: {app: server}}}`));
    await eventuallyReach([]);
    // The node's probes pass, and so does the pod's own traffic.
    expect(await reaches(["server"], address["server"] ?? "")).toBe(true);
    expect(await reaches(["near"], address["service"] ?? "", 80)).toBe(false);
    const ready = await cluster.kubectl("get", "pod", "server", "-o", "jsonpath={.status.containerStatuses[0].ready}");
    expect(ready).toBe("true");
  });

  test("pods, namespaces and ports of a rule are admitted, on the same node and from others", async () => {
    const selector = "podSelector: {matchLabels: {app: server}}";
    await cluster.apply(policy(`{${selector}, ingress: [{from: [{podSelector: {matchLabels: {app: near}}}]}]}`));
    await eventuallyReach(["near"]);
    expect(await reaches(["near"], address["service"] ?? "", 80)).toBe(true);
    const team = "{namespaceSelector: {matchLabels: {team: b}}}";
    await cluster.apply(policy(`{${selector}, ingress: [{from: [${team}], ports: [{port: web}]}]}`));
    await eventuallyReach(["foreign"]);
    await eventuallyReach([], 8081);
    await cluster.kubectl("label", "namespace", "other", "team=c", "--overwrite");
    await eventuallyReach([]);
    const range = (await cluster.get("pod", "far")).status.podIP;
    await cluster.apply(
      policy(`{${selector}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [${range}/32]}}]}]}`),
    );
    await eventuallyReach(["near", "foreign"]);
    await cluster.kubectl("delete", "networkpolicy", "server");
    await eventuallyReach(["near", "far", "foreign"]);
  });

  test("a pod's outgoing traffic is filtered on its own node", async () => {
    await cluster.apply(policy(`{podSelector: {matchLabels: {app: far}}, policyTypes: [Egress], egress: []}`));
    await eventuallyReach(["near", "foreign"]);
    const peer = "{podSelector: {matchLabels: {app: server}}}";
    await cluster.apply(
      policy(
        `{podSelector: {matchLabels: {app: far}}, policyTypes: [Egress], egress: [{to: [${peer}], ports: [{port: web}]}]}`,
      ),
    );
    await eventuallyReach(["near", "far", "foreign"]);
    await eventuallyReach(["near", "foreign"], 8081);
    expect(await reaches(["far"], address["service"] ?? "", 80)).toBe(true);
  });

  test("a pod cannot send with the address of an allowed peer, and has no IPv6 address", async () => {
    const selector = "podSelector: {matchLabels: {app: server}}";
    const forger = pod("forger", { node: "node-1" }).replace(
      "image: busybox:1",
      "image: busybox:1\n    securityContext: {capabilities: {add: [NET_ADMIN]}}",
    );
    await cluster.apply(
      forger + policy(`{${selector}, ingress: [{from: [{podSelector: {matchLabels: {app: near}}}]}]}`),
    );
    await cluster.kubectl("wait", "pod", "forger", "--for=condition=Ready", "--timeout=60s");
    await eventuallyReach(["near"]);
    const run = (name: string, command: string) => cluster.kubectl("exec", name, "--", "sh", "-c", command);
    expect(await run("forger", "cat /proc/net/if_inet6")).not.toContain("eth0");
    // An answer is sent to the owner of the address, so the server's own count reports the arrived
    // packets.
    const count = `awk '/^Icmp:/ {if (seen) print $10; seen = 1}' /proc/net/snmp`;
    const arrived = async () => Number((await run("server", count)).trim());
    const near = (await cluster.get("pod", "near")).status.podIP ?? "";
    const ping = (options: string) => `ping -q -c 2 -W 1 ${options} ${address["server"]}`;
    const before = await arrived();
    await run("forger", `ip address add ${near}/24 dev eth0; ${ping(`-I ${near}`)}; true`);
    expect(await arrived()).toBe(before);
    await run("near", ping(""));
    expect(await arrived()).toBe(before + 2);
  });
});
