import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workloadKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { isServing } from "../support/observe/follow-serving.ts";

const kubectls = workloadKubectls();
const lacking = whyNoKubectlCluster();
sayWhyNot("endpoints of Services", lacking);

/** The program is Ready while it has the file, and ends immediately at the signal. */
const program = ["sh", "-c", 'touch /tmp/ready; trap "exit 0" TERM; sleep 3600 & wait'];
const readinessProbe = { exec: { command: ["test", "-f", "/tmp/ready"] }, periodSeconds: 1, failureThreshold: 1 };

interface Slice extends KubernetesObject {
  addressType: string;
  endpoints?: {
    addresses: string[];
    conditions: { ready: boolean; serving: boolean; terminating: boolean };
    nodeName: string;
    targetRef: { kind: string; name: string; uid: string };
  }[];
}

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "endpoints", nodes: 2 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const slicesOf = async (service: string) =>
  (await cluster.get<{ items: Slice[] }>("endpointslices", "-l", `kubernetes.io/service-name=${service}`)).items;
const endpointsOf = async (service: string) => (await slicesOf(service)).flatMap(({ endpoints = [] }) => endpoints);
const podsOf = async (name: string) =>
  (await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", `app=${name}`)).items;

/** The addresses of the Service, once they are the addresses of `count` Ready pods. */
function leadsToReadyPods(name: string, count: number): Promise<string[]> {
  return eventually(`${name} leads to its ${count} Ready pods`, async () => {
    const ready = (await endpointsOf(name)).filter(({ conditions }) => conditions.ready);
    const addresses = ready.flatMap((endpoint) => endpoint.addresses).toSorted();
    const wanted = (await podsOf(name)).filter(isServing).map(({ status }) => status.podIP ?? "");
    return addresses.length === count && wanted.toSorted().join() === addresses.join() && addresses;
  });
}

const both = describe.concurrent.each(lacking === undefined ? kubectls : []);
both("kubectl %s", (version, kubectl) => {
  const ok = async (args: string, ...rest: string[]) => {
    const result = await cluster.tryKubectl([...args.split(" "), ...rest], { program: kubectl });
    if (result.code !== 0)
      throw new Error(`kubectl ${args} ended with ${result.code}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  };

  test("exposes a Deployment, shows the Service's endpoints, and omits a pod that is not Ready", async () => {
    const web = `web-${version.replaceAll(".", "-").toLowerCase()}`;
    await ok(`create deployment ${web} --image=busybox:1 --replicas=3 --`, ...program);
    const container = { name: "busybox", readinessProbe };
    await ok(`patch deploy ${web} -p`, JSON.stringify({ spec: { template: { spec: { containers: [container] } } } }));
    expect(await ok(`expose deployment ${web} --port=80 --target-port=8080`)).toBe(`service/${web} exposed\n`);
    await ok(`rollout status deploy/${web} --timeout=30s`);
    const addresses = await leadsToReadyPods(web, 3);
    await eventually("those before the change are gone", async () => (await endpointsOf(web)).length === 3);

    const shown = await ok(`get endpointslices -l kubernetes.io/service-name=${web}`);
    expect(shown).toMatch(/^NAME\s+ADDRESSTYPE\s+PORTS\s+ENDPOINTS\s+AGE\n/);
    const [, listed = ""] = new RegExp(`\n${web}-\\w{5}\\s+IPv4\\s+8080\\s+(\\S+)\\s+\\d+s\n`).exec(shown) ?? [];
    expect(listed.split(",").toSorted()).toEqual(addresses);

    const [victim] = await podsOf(web).then((pods) => pods.filter(isServing));
    await ok(`exec ${victim?.metadata.name} --`, "rm", "/tmp/ready");
    const rest = await leadsToReadyPods(web, 2);
    expect(rest).not.toContain(victim?.status.podIP);
    const out = (await endpointsOf(web)).find(({ targetRef }) => targetRef.uid === victim?.metadata.uid);
    expect(out).toMatchObject({
      addresses: [victim?.status.podIP],
      conditions: { ready: false, serving: false, terminating: false },
      nodeName: victim?.spec.nodeName,
    });
    await ok(`exec ${victim?.metadata.name} --`, "touch", "/tmp/ready");
    expect(await leadsToReadyPods(web, 3)).toEqual(addresses);

    // The older kubectl reads Endpoints, the newer kubectl the slices.
    const described = await ok(`describe service ${web}`);
    expect(described).toMatch(/TargetPort:\s+8080\/TCP\n/);
    const [, named = ""] = /\nEndpoints:\s+(\S+)\n/.exec(described) ?? [];
    expect(named.split(",").toSorted()).toEqual(addresses.map((address) => `${address}:8080`));

    const typed = await cluster.tryKubectl(["get", "endpoints", web], { program: kubectl });
    expect(typed.stderr).toBe("Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n");
    expect(typed.stdout).toMatch(/^NAME\s+ENDPOINTS\s+AGE\n/);
    const all = addresses.map((address) => `${address}:8080`).join(",");
    expect(typed.stdout).toMatch(new RegExp(`\n${web}\\s+${all.replaceAll(".", "\\.")}\\s+\\d+s\n`));
    expect(await ok("get ep -o name")).toContain(`endpoints/${web}\n`);

    await ok(`scale deploy/${web} --replicas=1`);
    await leadsToReadyPods(web, 1);
    await ok(`delete service ${web}`);
    await eventually("its slices are gone", async () => (await slicesOf(web)).length === 0);
    await eventually("its Endpoints are gone", async () => !(await ok("get endpoints -o name")).includes(`/${web}\n`));
    await ok(`delete deploy ${web} --timeout=30s`);
  });
});

const lost = (name: string) => `apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec:
  selector: {app: ${name}}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 4
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
`;

test.skipIf(lacking !== undefined)(
  "a failed node's pods are removed from the Service when the node is Unknown, and replaced when they are evicted",
  async () => {
    const name = "lost";
    await cluster.apply(lost(name));
    await leadsToReadyPods(name, 4);
    const there = (await endpointsOf(name)).filter(({ nodeName }) => nodeName === "node-2");
    expect(there.length).toBeGreaterThan(0);
    const dead = new Set(there.map(({ targetRef }) => targetRef.uid));
    await cluster.kintsugi("node", "kill", "node-2");
    // The pods are not evicted yet; they were removed from the endpoints because their node does
    // not report.
    await eventually("all endpoints of node-2 are not ready, and their pods still wanted", async () => {
      const [endpoints, pods] = [await endpointsOf(name), await podsOf(name)];
      const theirs = endpoints.filter(({ targetRef }) => dead.has(targetRef.uid));
      const wanted = pods.filter(({ metadata }) => dead.has(metadata.uid) && metadata.deletionTimestamp === undefined);
      return (
        wanted.length === dead.size &&
        theirs.length === dead.size &&
        theirs.every(({ conditions }) => !conditions.ready && !conditions.serving && !conditions.terminating)
      );
    });
    await leadsToReadyPods(name, 4);
    const ready = (await endpointsOf(name)).filter(({ conditions }) => conditions.ready);
    expect(ready.map(({ nodeName }) => nodeName)).toEqual(["node-1", "node-1", "node-1", "node-1"]);

    await cluster.kintsugi("node", "return", "node-2");
    await eventually("nothing is left of the dead pods", async () => {
      const endpoints = await endpointsOf(name);
      return endpoints.length === 4 && endpoints.every(({ targetRef }) => !dead.has(targetRef.uid));
    });
  },
);

test.skipIf(lacking !== undefined)("a namespace's deletion removes its Services and their slices", async () => {
  await cluster.kubectl("create", "namespace", "short");
  await cluster.kubectl("-n", "short", "create", "service", "clusterip", "web", "--tcp=80:80");
  await eventually(
    "it has a slice",
    async () => (await cluster.kubectl("-n", "short", "get", "endpointslices", "-o", "name")) !== "",
  );
  await cluster.kubectl("delete", "namespace", "short", "--timeout=30s");
  expect(
    await cluster.kubectl("get", "endpointslices", "-A", "-o", "jsonpath={.items[*].metadata.namespace}"),
  ).not.toContain("short");
});
