import { expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { type KubernetesObject, startLabCluster } from "../support/lab-cluster.ts";
import { eventually, runProgram } from "../support/run-program.ts";

const lacking = whyNoClusters();
sayWhyNot("a cluster in a cloud", lacking);

/** A pod that fits no existing node, with a disk whose log it continues. */
const writer = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec:
      terminationGracePeriodSeconds: 1
      nodeSelector: { node.kubernetes.io/instance-type: POOL }
      containers:
        - name: c
          image: busybox:1
          command: [sh, -c, "hostname >> /data/log; sync; httpd -f -p 8080 -h /data"]
          resources: { requests: { cpu: 500m } }
          volumeMounts: [{ name: data, mountPath: /data }]
          readinessProbe: { httpGet: { port: 8080, path: /log }, periodSeconds: 1 }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 64Mi } } }
---
apiVersion: v1
kind: Service
metadata: { name: db }
spec:
  type: LoadBalancer
  externalTrafficPolicy: Local
  selector: { app: db }
  ports: [{ port: 80, targetPort: 8080 }]
`;

test.skipIf(lacking !== undefined)(
  "a machine is created for a pod that does not fit, its node is removed with it, the disk moves, and the last machine is removed",
  async () => {
    await using cluster = await startLabCluster({
      name: "cloud",
      nodes: 1,
      proxy: true,
      csi: true,
      args: ["--cloud", "2"],
    });
    const groups = (await cluster.kintsugi("cloud", "groups")).stdout;
    const type = /lab-\S+/.exec(groups)?.[0] ?? "";
    await cluster.apply(writer.replace("POOL", type));
    const running = async () => {
      const pod = await cluster.get<KubernetesObject>("pod", "db-0");
      expect(pod.status.containerStatuses?.[0]?.ready).toBe(true);
      return pod;
    };
    const first = (await eventually("the pod runs on a new machine", running, 120_000)).spec.nodeName ?? "";
    expect(first).toMatch(/^pool-/);

    const service = await cluster.get<{ status: { loadBalancer: { ingress: { ip: string }[] } } }>("service", "db");
    const address = service.status.loadBalancer.ingress[0]?.ip ?? "";
    const log = async () => {
      const answer = await runProgram("curl", ["-sS", "-m", "3", `http://${address}/log`]);
      expect(answer.code).toBe(0);
      return answer.stdout.trim().split("\n");
    };
    expect(await eventually("the load balancer leads to the pod", log)).toEqual(["db-0"]);

    await cluster.kintsugi("cloud", "terminate", first);
    const second = await eventually(
      "the pod runs on another machine",
      async () => {
        const pod = await running();
        expect(pod.spec.nodeName).not.toBe(first);
        return pod;
      },
      180_000,
    );
    expect(second.spec.nodeName).toMatch(/^pool-/);
    // The disk was moved with the pod: the second writer continued the log of the first.
    expect(await eventually("the load balancer leads to the pod", log)).toEqual(["db-0", "db-0"]);
    expect((await cluster.tryKubectl(["get", "node", first])).stderr).toContain("not found");

    await cluster.kubectl("delete", "statefulset,service", "db");
    const lastGoes = async () => (await cluster.kubectl("get", "nodes", "-o", "name")).trim() === "node/node-1";
    await eventually("the last machine goes", lastGoes, 180_000);
    const { stdout } = await cluster.kintsugi("cloud", "machines");
    expect(stdout).not.toContain("pool-");
  },
);
