import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { forgetCluster, rememberCluster, repository } from "../support/lab-cluster.ts";
import { runProgram } from "../support/run-program.ts";

const whyNot = whyNoKubectlCluster();
const kubectl = newestKubectl() ?? "kubectl";

/** The script runs in a separate mount namespace, in which /usr/sbin has no nft. */
const script = `
cd "$REPOSITORY"
mount -t tmpfs none "$DIRECTORY"
mkdir "$DIRECTORY/upper" "$DIRECTORY/work"
mount -t overlay none -o "lowerdir=/usr/sbin,upperdir=$DIRECTORY/upper,workdir=$DIRECTORY/work" /usr/sbin
rm /usr/sbin/nft
trap '"$NODE" bin/kintsugi down --name "$NAME" --kubeconfig "$KUBECONFIG"' EXIT
"$NODE" bin/kintsugi up --nodes 1 --profile fast --name "$NAME" --kubeconfig "$KUBECONFIG"
"$KUBECTL" run asks --image busybox:1 --restart Never --command -- env
"$KUBECTL" wait --for jsonpath='{.status.phase}'=Succeeded --timeout 60s pod/asks
"$KUBECTL" logs asks
"$NODE" bin/kintsugi status --name "$NAME"
`;

test.skipIf(sayWhyNot("hosts without nft", whyNot))(
  "a host without nft has no proxies, reports this, and passes the API's own address to pods",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-without-nft-"));
    const name = `without-nft-${process.pid}`;
    const env = {
      NAME: name,
      DIRECTORY: directory,
      KUBECONFIG: join(directory, "kubeconfig"),
      KUBECTL: kubectl,
      REPOSITORY: repository,
    };
    await rememberCluster(name);
    try {
      const words = ["--mount", "bash", "-euc", script];
      const { code, stdout, stderr } = await runProgram("unshare", words, {
        env: { ...env, NODE: process.execPath },
        timeoutMs: 170_000,
      });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout + stderr).toContain("nft is missing, so nodes have no proxies");
      // 6443, unless another cluster of this host uses it; the Service's would be 443.
      const [, port = "no port"] = /^API server https:\/\/127\.0\.0\.1:(\d+): ready$/m.exec(stdout) ?? [];
      expect(stdout.split("\n")).toContain(`KUBERNETES_SERVICE_PORT=${port}`);
      expect(stdout).toMatch(/^kubelet@node-1 .*$/m);
      expect(stdout).not.toMatch(/^proxy@node-1 .*$/m);
      await forgetCluster(name);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
