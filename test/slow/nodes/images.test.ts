import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCluster, nodePaths } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addRegistryAddress,
  type DockerRegistry,
  registryLogin,
  type ReluctantRegistry,
  removeRegistryAddress,
  startDockerRegistry,
  startReluctantRegistry,
} from "../../support/servers/docker-registry.ts";
import { sayWhyNot, whyNoKubectlCluster, whyNoPackage } from "../../support/host-abilities.ts";
import { type LabCluster, repository, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually, runProgram } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster() ?? whyNoPackage("docker-registry");

function podManifest(name: string, image: string, options: { policy?: string; pod?: string } = {}): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 1
  ${options.pod ?? ""}
  containers:
  - name: c
    image: ${JSON.stringify(image)}
    command: ["sleep", "1d"]
    ${options.policy === undefined ? "" : `imagePullPolicy: ${options.policy}`}
`;
}

describe.skipIf(sayWhyNot("images from a registry", lacking))("the images of a node with a registry", () => {
  let cluster: LabCluster;
  let open: DockerRegistry;
  let closed: DockerRegistry;
  let reluctant: ReluctantRegistry;
  let socket: string;
  const image = (name: string) => `${open.host}/tools/${name}`;
  const secretImage = (name: string) => `${closed.host}/tools/${name}`;
  const container = async (name: string) => (await cluster.get("pod", name)).status.containerStatuses?.[0];
  const waiting = async (name: string) => (await container(name))?.state.waiting;
  const events = (name: string) =>
    cluster.kubectl("get", "events", "--field-selector", `involvedObject.name=${name}`, "-o", "wide");
  const runs = (name: string) =>
    eventually(`${name} runs`, async () => (await container(name))?.state.running && (await container(name)));

  async function ctr(...args: string[]): Promise<void> {
    const result = await runProgram("ctr", ["--address", socket, "--namespace", "k8s.io", "images", ...args]);
    if (result.code !== 0) throw new Error(`ctr images ${args.join(" ")}: ${result.stderr}`);
  }

  const login = `${registryLogin.username}:${registryLogin.password}`;
  const push = (reference: string) =>
    ctr("push", "--plain-http", "--user", login, reference, "docker.io/library/busybox:1");

  beforeAll(async () => {
    await addRegistryAddress();
    open = await startDockerRegistry({ isPrivate: false });
    closed = await startDockerRegistry({ isPrivate: true });
    reluctant = await startReluctantRegistry();
    const registries = [open, closed, reluctant].map(({ host }) => `--insecure-registry=${host}`);
    const args = [...registries, "--kubelet-arg", "max-parallel-image-pulls=2"];
    cluster = await startLabCluster({ name: "images", nodes: 1, args });
    const known = await findCluster(cluster.name);
    const node = known?.spec.nodes[0];
    if (!known || !node) throw new Error("the cluster has no node");
    socket = nodePaths(known.paths, node).containerdSocket;
    await push(image("busybox:1"));
    await push(secretImage("busybox:1"));
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await open?.[Symbol.asyncDispose]();
    await closed?.[Symbol.asyncDispose]();
    await reluctant?.[Symbol.asyncDispose]();
    await removeRegistryAddress();
  });

  test("are pulled if they are missing, again with the policy Always, and are not pulled in other cases", async () => {
    await cluster.apply(podManifest("first", image("busybox:1")));
    const { imageID = "" } = (await runs("first")) as { imageID?: string };
    expect(imageID).toMatch(new RegExp(`^${image("busybox")}@sha256:[0-9a-f]{64}$`));
    expect(await events("first")).toMatch(/Successfully pulled image ".*busybox:1" in \S+ \(\S+ including waiting\)/);
    await cluster.apply(podManifest("second", image("busybox:1")));
    await cluster.apply(podManifest("digest", imageID));
    await cluster.apply(podManifest("always", image("busybox:1"), { policy: "Always" }));
    await Promise.all(["second", "digest", "always"].map(runs));
    expect(await events("second")).toContain(`Container image "${image("busybox:1")}" already present on machine`);
    expect(await events("digest")).toContain(`Container image "${imageID}" already present on machine`);
    expect(await events("always")).toContain(`Pulling image "${image("busybox:1")}"`);
  });

  test("that are missing are retried with growing delays until they exist", async () => {
    await cluster.apply(podManifest("late", image("late:1")));
    await cluster.apply(podManifest("never", image("none:1"), { policy: "Never" }));
    await cluster.apply(podManifest("invalid", "Not A Name"));
    await eventually("a pull that failed, held back", async () => {
      const { reason, message = "" } = (await waiting("late")) ?? {};
      return (
        reason === "ImagePullBackOff" &&
        message.startsWith(`Back-off pulling image "${image("late:1")}": ErrImagePull: `)
      );
    });
    const told = await events("late");
    expect(told).toMatch(/Failed to pull image ".*late:1": .*not found/);
    expect(told).toContain("Error: ErrImagePull");
    expect(told).toContain("Error: ImagePullBackOff");
    const refused = await eventually("two refusals", async () => {
      const both = [await waiting("never"), await waiting("invalid")];
      return both.every((each) => /^(ErrImageNeverPull|InvalidImageName)$/.test(each?.reason ?? "")) && both;
    });
    expect(refused.map((each) => each?.reason)).toEqual(["ErrImageNeverPull", "InvalidImageName"]);
    expect(refused[0]?.message).toBe(`Container image "${image("none:1")}" is not present with pull policy of Never`);
    await push(image("late:1"));
    await runs("late");
  });

  test("are loaded without a registry, from an archive and from this host's containerd", async () => {
    const directory = await mkdtemp(join(tmpdir(), "load-images-"));
    try {
      const archive = join(directory, "tool.tar");
      const name = "registry.invalid/tools/loaded:1";
      await ctr("tag", "docker.io/library/busybox:1", name);
      await ctr("export", archive, name);
      await ctr("rm", name);
      const loaded = await cluster.kintsugi("image", "load", archive);
      expect(loaded.stderr).toMatch(/node-1 has registry\.invalid\/tools\/loaded:1 \([\d.]+ MB\)/);
      await cluster.apply(podManifest("loaded", name, { policy: "IfNotPresent" }));
      await runs("loaded");

      const missing = await cluster.kintsugi("image", "load", "no-such-image:1", "--from", "containerd");
      expect(missing.code).toBe(1);
      expect(missing.stderr).toMatch(/there is no file "no-such-image:1", and no image of that name here: /);
      // The node's containerd replaces the host's: `ctr` finds it by this variable.
      const saved = await runProgram(
        join(repository, "bin/kintsugi"),
        ["image", "load", "busybox:latest", "--from", "containerd", "--name", cluster.name],
        { env: { CONTAINERD_ADDRESS: socket } },
      );
      expect(saved.stderr).toContain("busybox:latest saved from containerd");
      expect(saved.stderr).toMatch(/docker\.io\/library\/busybox:latest: pods pull this tag at every start unless/);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("are pulled concurrently, up to the kubelet's limit", async () => {
    const names = ["a", "b", "c", "d"];
    for (const name of names) await cluster.apply(podManifest(`pulls-${name}`, `${reluctant.host}/tools/${name}:1`));
    for (const left of [4, 3, 2, 1]) {
      const expected = Math.min(2, left);
      await eventually(`${expected} pulls`, async () => reluctant.waiting().length === expected);
      const [first = ""] = reluctant.waiting();
      reluctant.answer(first);
      await eventually("its pod is told", async () =>
        /^(ErrImagePull|ImagePullBackOff)$/.test((await waiting(first.replace("tools/", "pulls-")))?.reason ?? ""),
      );
    }
    expect(reluctant.waitingMost).toBe(2);
    await cluster.kubectl("delete", "pod", ...names.map((name) => `pulls-${name}`), "--now");
  });

  test("of a private registry need credentials, which the pod or its service account provides", async () => {
    await cluster.apply(podManifest("stranger", secretImage("busybox:1")));
    await eventually("the refusal", async () => /ImagePull/.test((await waiting("stranger"))?.reason ?? ""));
    expect(await events("stranger")).toMatch(/Failed to pull image .*(401|authorization failed|no basic auth)/);
    const login = [`--docker-server=${closed.host}`, `--docker-username=${registryLogin.username}`];
    const secret = ["create", "secret", "docker-registry"];
    await cluster.kubectl(...secret, "wrong", ...login, "--docker-password=guess");
    await cluster.kubectl(...secret, "right", ...login, `--docker-password=${registryLogin.password}`);
    const bringing = (name: string) => ({ pod: `imagePullSecrets: [{name: ${name}}]`, policy: "Always" });
    await cluster.apply(podManifest("guessing", secretImage("busybox:1"), bringing("wrong")));
    await cluster.apply(podManifest("knowing", secretImage("busybox:1"), bringing("right")));
    await runs("knowing");
    await eventually("the wrong password", async () => /ImagePull/.test((await waiting("guessing"))?.reason ?? ""));
    await cluster.kubectl("patch", "serviceaccount", "default", "-p", '{"imagePullSecrets":[{"name":"right"}]}');
    await cluster.apply(podManifest("employed", secretImage("busybox:1"), { policy: "Always" }));
    await runs("employed");
  });
});
