import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();

describe.skipIf(sayWhyNot("pod shapes", lacking))("a pod on a real node", () => {
  let cluster: LabCluster;
  const pod = (name: string) => cluster.get("pod", name);
  const container = async (name: string) => (await pod(name)).status.containerStatuses?.[0];
  const runs = (name: string) =>
    eventually(`${name} runs`, async () => (await container(name))?.state.running !== undefined);
  const apply = (name: string, spec: string) =>
    cluster.apply(
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  terminationGracePeriodSeconds: 1\n${spec}`,
    );
  /** Makes one line of a container: its name, its command, and additional fields. */
  const c = (name: string, command: string, more = "") =>
    `  - {name: ${name}, image: "busybox:1", command: [sh, -c, ${JSON.stringify(command)}]${more}}\n`;
  const logs = async (name: string, wanted: RegExp, ...args: string[]) =>
    eventually(`${wanted} in the log of ${name}`, async () => {
      const text = await cluster.kubectl("logs", name, ...args);
      return wanted.test(text) ? text : undefined;
    });

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "shapes", nodes: 1 });
  });
  afterAll(async () => {
    if (!cluster) return;
    await cluster[Symbol.asyncDispose]();
    await rm(`/tmp/${cluster.name}`, { recursive: true, force: true });
  });

  describe("that is resized", () => {
    const limit = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null";
    const resize = (name: string, resources: object) =>
      cluster.kubectl(
        "patch",
        "pod",
        name,
        "--subresource",
        "resize",
        "-p",
        JSON.stringify({ spec: { containers: [{ name: "c", resources }] } }),
      );

    test("gets more memory while it runs, even over a restart of its kubelet, and is refused memory beyond the node's", async () => {
      const resources = ", resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 32Mi}}";
      await apply("resized", `  containers:\n${c("c", `while true; do ${limit}; sleep 0.3; done`, resources)}`);
      await logs("resized", /^33554432$/m);
      await resize("resized", { limits: { memory: "64Mi" } });
      await logs("resized", /^67108864$/m);
      const given = await eventually("the status", async () => {
        const status = await container("resized");
        return JSON.stringify(status).includes('"limits":{"memory":"64Mi"}') ? status : undefined;
      });
      expect(given).toMatchObject({ restartCount: 0, allocatedResources: { cpu: "10m", memory: "16Mi" } });
      await cluster.kintsugi("node", "stop-kubelet", "node-1");
      await cluster.kintsugi("node", "start-kubelet", "node-1");
      await resize("resized", { requests: { cpu: "1000" } });
      const pending = await eventually("the refusal", async () =>
        (await pod("resized")).status.conditions?.find(({ type }) => type === "PodResizePending"),
      );
      expect(pending).toMatchObject({ status: "True", reason: "Infeasible" });
      expect(pending.message).toMatch(/^Node didn't have enough capacity: cpu, requested: 1000000, capacity: \d+$/);
      expect(await container("resized")).toMatchObject({ restartCount: 0, allocatedResources: { cpu: "10m" } });
      expect((await cluster.kubectl("logs", "resized", "--tail=1")).trim()).toBe("67108864");
    });

    test("is restarted if its policy specifies it", async () => {
      const policy =
        ", resizePolicy: [{resourceName: memory, restartPolicy: RestartContainer}], resources: {requests: {cpu: 10m}, limits: {memory: 64Mi}}";
      await apply("restarted", `  containers:\n${c("c", `${limit}; sleep 1d`, policy)}`);
      await runs("restarted");
      await resize("restarted", { requests: { memory: "32Mi" }, limits: { memory: "32Mi" } });
      await eventually("the restart", async () => (await container("restarted"))?.restartCount === 1);
      await logs("restarted", /^33554432$/m);
      expect(await cluster.kubectl("get", "events", "--field-selector", "involvedObject.name=restarted")).toMatch(
        /Container c resize requires restart, will be restarted/,
      );
    });
  });

  describe("of a special shape", () => {
    test("shares its processes, or the node's, and has the requested names", async () => {
      await apply(
        "shared",
        `  shareProcessNamespace: true
  hostname: first
  subdomain: second
  setHostnameAsFQDN: true
  hostAliases: [{ip: 10.1.2.3, hostnames: [db.example]}]
  containers:
${c("a", "sleep 1111")}${c("b", "sleep 0.5; ps; hostname; cat /etc/hosts; sleep 1d")}`,
      );
      const log = await logs("shared", /db\.example/, "-c", "b");
      expect(log).toMatch(/sleep 1111/);
      expect(log).toMatch(/^first\.second\.default\.svc\.cluster\.local$/m);
      expect(log).toMatch(/^10\.1\.2\.3\tdb\.example$/m);
      const process = `sleep ${100_000 + (Date.now() % 100_000)}`;
      await apply("alone", `  containers:\n${c("c", process)}`);
      await runs("alone");
      await apply("of-node", `  hostPID: true\n  hostIPC: true\n  containers:\n${c("c", "ps; sleep 1d")}`);
      expect(await logs("of-node", new RegExp(process))).toContain("containerd");
    });

    test("gets the Services of its namespace, and queries its configured name servers", async () => {
      await cluster.kubectl("create", "service", "clusterip", "my-web", "--tcp=80:8080");
      const address = (await cluster.get<{ spec: { clusterIP: string } }>("service", "my-web")).spec.clusterIP;
      const both = "env | sort; cat /etc/resolv.conf; echo end; sleep 1d";
      await apply(
        "told",
        `  containers:\n${c("c", both, ', env: [{name: URL, value: "http://$(MY_WEB_SERVICE_HOST)/"}]')}`,
      );
      const told = await logs("told", /^end$/m);
      expect(told).toContain(`MY_WEB_SERVICE_HOST=${address}\n`);
      expect(told).toContain(`MY_WEB_PORT_80_TCP=tcp://${address}:80\n`);
      expect(told).toContain(`URL=http://${address}/\n`);
      expect(told).toMatch(/^KUBERNETES_SERVICE_HOST=\d+\.\d+\.\d+\.\d+$/m);
      // There is no cluster DNS here, so the pod has its node's servers, and an event reports that.
      const servers = /^nameserver .*$/gm;
      const ofNode = (await readFile("/etc/resolv.conf", "utf8")).match(servers) ?? [];
      expect(told.match(servers) ?? []).toEqual(ofNode.slice(0, 3));
      expect(await cluster.kubectl("describe", "pod", "told")).toMatch(
        /MissingClusterDNS +.*cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy/,
      );

      const own =
        "  enableServiceLinks: false\n  dnsPolicy: None\n  dnsConfig: {nameservers: [192.0.2.1, 192.0.2.2, 192.0.2.3], searches: [a.example], options: [{name: ndots, value: '2'}]}\n";
      await apply("own", `${own}  containers:\n${c("c", both)}`);
      const said = await logs("own", /^end$/m);
      expect(said).not.toContain("MY_WEB");
      expect(said).toMatch(/search a\.example\n(nameserver 192\.0\.2\.[123]\n){3}options ndots:2\n/);
    });

    test("has a wget that reports errors in words, even with -T, which some hosts' busybox lacks", async () => {
      await apply("fetching", `  containers:\n${c("c", "sleep 1d")}`);
      await runs("fetching");
      const wget = async (...before: string[]) => {
        const url = ["-qO-", "http://127.0.0.1:1/"];
        const { code, stderr } = await cluster.tryKubectl(["exec", "fetching", "--", ...before, ...url]);
        return { code, stderr };
      };
      const refused = "can't connect to remote host \\(127\\.0\\.0\\.1\\): Connection refused";
      const plain = await wget("timeout", "5", "wget");
      expect(plain).toEqual({ code: 1, stderr: expect.stringMatching(refused) as string });
      const limited = await wget("wget", "-T", "5");
      expect(limited).toEqual({
        code: 1,
        stderr: expect.stringMatching(`${refused}|was built without -T: use timeout SECONDS wget`) as string,
      });
    });

    test("resets its back-off with a new image", async () => {
      await cluster.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: looping, annotations: {kintsugi.dev/backoff: 'initial=60s,max=60s'}}\n" +
          `spec:\n  terminationGracePeriodSeconds: 1\n  containers:\n${c("c", "exit 3")}`,
      );
      // The first restart is immediate; the second would follow after 60 s.
      const held = await eventually("the wait", async () => {
        const state = await container("looping");
        return state?.state.waiting?.reason === "CrashLoopBackOff" ? state : undefined;
      });
      expect(held.state.waiting?.message).toMatch(/^back-off 1m0s restarting failed container=c pod=looping_default/);
      await cluster.kubectl("set", "image", "pod/looping", "c=busybox:latest");
      const next = await eventually("the next start", async () => {
        const state = await container("looping");
        return (state?.restartCount ?? 0) > held.restartCount ? state : undefined;
      });
      expect(next.restartCount).toBe(held.restartCount + 1);
    });

    test("gets a seccomp profile from the node's profile directory, and is not created without its file", async () => {
      // Allows everything except mkdir, so that its effect is visible.
      const profile = {
        defaultAction: "SCMP_ACT_ALLOW",
        syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO" }],
      };
      const directory = `/var/lib/kintsugi/${cluster.name}/nodes/node-1/kubelet/seccomp`;
      await mkdir(`${directory}/profiles`, { recursive: true });
      await writeFile(`${directory}/profiles/no-mkdir.json`, JSON.stringify(profile));
      const from = (file: string) => `seccompProfile: {type: Localhost, localhostProfile: ${file}}`;
      const say = "mkdir /tmp/made 2>&1; grep Seccomp: /proc/self/status; sleep 1d";
      // A host without SELinux ignores a label; a pod with a label starts anyway.
      const selinux = "seLinuxOptions: {level: 's0:c1,c5'}";
      await apply(
        "profiled",
        `  securityContext: {${from("profiles/no-mkdir.json")}, ${selinux}}\n  containers:\n` +
          c("c", say) +
          c("free", say, `, securityContext: {seccompProfile: {type: Unconfined}, ${selinux}}`),
      );
      expect(await logs("profiled", /Seccomp:/, "-c", "c")).toMatch(
        /^mkdir: can't create directory '\/tmp\/made': Operation not permitted\nSeccomp:\t2$/m,
      );
      expect(await logs("profiled", /Seccomp:/, "-c", "free")).toMatch(/^Seccomp:\t0$/m);

      await apply("no-profile", `  securityContext: {${from("none.json")}}\n  containers:\n${c("c", "sleep 1d")}`);
      const waiting = await eventually("the refusal", async () => {
        const state = (await container("no-profile"))?.state.waiting;
        return state?.reason === "CreateContainerError" ? state : undefined;
      });
      expect(waiting.message).toContain(`${directory}/none.json`);
      expect(waiting.message).toContain("no such file or directory");
    });

    test("runs as its configured user with that user's permissions, and not as root if that is forbidden", async () => {
      const security =
        ", securityContext: {runAsUser: 1234, runAsGroup: 5678, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}";
      const say = "id -u; id -g; touch /x; grep -E 'CapBnd|NoNewPrivs|Seccomp:' /proc/self/status; sleep 1d";
      await apply(
        "secured",
        `  securityContext: {seccompProfile: {type: RuntimeDefault}, sysctls: [{name: net.ipv4.ip_unprivileged_port_start, value: "81"}]}
  containers:
${c("c", `cat /proc/sys/net/ipv4/ip_unprivileged_port_start; ${say}`, security)}`,
      );
      const log = await logs("secured", /Seccomp:/);
      // Two streams, whose lines may be interleaved in any order.
      expect(log).toMatch(/^touch: \/x: Read-only file system$/m);
      expect(log.replace(/^touch.*\n/m, "")).toMatch(/^81\n1234\n5678\n/);
      expect(log).toMatch(/CapBnd:\t0{16}\nNoNewPrivs:\t1\nSeccomp:\t2/);
      await apply("rootless", `  securityContext: {runAsNonRoot: true}\n  containers:\n${c("c", "sleep 1d")}`);
      const waiting = await eventually(
        "the refusal",
        async () => (await container("rootless"))?.state.waiting?.message,
      );
      expect(waiting).toMatch(
        /^container has runAsNonRoot and image will run as root \(pod: "rootless_default\([-\w]+\)", container: c\)$/,
      );
      expect((await container("rootless"))?.state.waiting?.reason).toBe("CreateContainerConfigError");
    });

    test("starts and stops its sidecars around its containers, with hooks, and writes its termination message", async () => {
      const trap = (name: string) =>
        `trap 'echo ${name} ends >> /log/all; exit 0' TERM; while true; do sleep 0.1; done`;
      const mount = ", volumeMounts: [{name: log, mountPath: /log}]";
      const sidecar = (name: string) => c(name, trap(name), `${mount}, restartPolicy: Always`);
      const hooks =
        ', lifecycle: {postStart: {exec: {command: [sh, -c, "echo posted >> /log/all"]}}, preStop: {sleep: {seconds: 1}}}';
      await apply(
        "ordered",
        `  volumes: [{name: log, hostPath: {path: /tmp/${cluster.name}, type: DirectoryOrCreate}}]
  initContainers:
${sidecar("one")}${sidecar("two")}  containers:
${c("main", trap("main"), `${mount}${hooks}`)}`.replace("terminationGracePeriodSeconds: 1", ""),
      );
      await eventually("ordered is ready", async () => (await container("ordered"))?.ready === true);
      await cluster.kubectl("delete", "pod", "ordered", "--grace-period=20");
      await apply(
        "reader",
        `  restartPolicy: Never
  volumes: [{name: log, hostPath: {path: /tmp/${cluster.name}}}]
  containers:
${c("c", "cat /log/all; rm -r /log/*; echo last words; exit 3", `${mount}, terminationMessagePolicy: FallbackToLogsOnError`)}`,
      );
      // The runtime reports the end before it has written the last of the log.
      const words = await eventually("last words", async () => {
        const terminated = (await container("reader"))?.state.terminated as { message?: string } | undefined;
        return terminated?.message;
      });
      expect(words).toBe("posted\nmain ends\ntwo ends\none ends\nlast words\n");
    });

    test("is rejected or ended if the node specifies it", async () => {
      const port = (name: string, more = "") =>
        apply(
          name,
          `${more}  nodeName: node-1\n  containers:\n${c("c", "sleep 1d", ", ports: [{containerPort: 80, hostPort: 8099}]")}`,
        );
      await port("first");
      await runs("first");
      await port("second");
      const status = await eventually("the refusal", async () => {
        const { status: now } = await pod("second");
        return now.phase === "Failed" ? (now as { reason?: string; message?: string }) : undefined;
      });
      expect(status).toMatchObject({
        reason: "NodePorts",
        message:
          "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
      });
      await apply("elsewhere", `  nodeName: node-1\n  nodeSelector: {no: such}\n  containers:\n${c("c", "sleep 1d")}`);
      await eventually("the other refusal", async () => (await pod("elsewhere")).status.phase === "Failed");
      // The containers were not started, so kubectl has no container to report.
      const table = await cluster.kubectl("get", "pods", "second", "elsewhere");
      expect(table).toMatch(/^second +0\/1 +NodePorts +0 /m);
      expect(table).toMatch(/^elsewhere +0\/1 +NodeAffinity +0 /m);
      await apply("late", `  activeDeadlineSeconds: 1\n  containers:\n${c("c", "sleep 1d")}`);
      await eventually("late has failed", async () => (await pod("late")).status.phase === "Failed");
      expect(await cluster.kubectl("get", "pod", "late")).toMatch(/DeadlineExceeded/);
    });
  });
});
