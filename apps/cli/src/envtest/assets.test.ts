import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { assetScripts, writeAssets } from "./assets.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "kintsugi-assets-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const scripts = assetScripts({ kubeApiserver: ["/bin/echo", "it's", "the server"], etcd: ["/bin/echo", "etcd"] });

test("the programs have envtest's names and pass their arguments on", async () => {
  const directory = join(place, "assets");
  await writeAssets(directory, scripts);
  await writeAssets(directory, scripts);
  expect((await readdir(directory)).toSorted()).toEqual(["etcd", "kube-apiserver", "kubectl"]);
  const said = execFileSync(join(directory, "kube-apiserver"), ["--secure-port=1", "a b"], { encoding: "utf8" });
  expect(said).toBe("it's the server --secure-port=1 a b\n");
});

test("kubectl is the user's own, even if the programs are first on the PATH", async () => {
  const [directory, own] = [join(place, "assets"), join(place, "own programs")];
  await writeAssets(directory, scripts);
  await mkdir(own);
  await writeFile(join(own, "kubectl"), '#!/bin/sh\necho "mine $1"\n', { mode: 0o755 });
  const run = (path: string) =>
    execFileSync("/bin/sh", [join(directory, "kubectl"), "version"], {
      encoding: "utf8",
      env: { PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
    });
  expect(run(`${directory}:${own}:/usr/bin:/bin`)).toBe("mine version\n");
  await rm(own, { recursive: true });
  await mkdir(own);
  for (const name of ["dirname", "sh"])
    await writeFile(join(own, name), `#!/bin/sh\nexec /usr/bin/${name} "$@"\n`, { mode: 0o755 });
  expect(() => run(`${directory}:${own}`)).toThrow(/kubectl is not installed: install it, or put it on the PATH/);
});

test("a directory that others can write to is rejected", async () => {
  await chmod(place, 0o777);
  await expect(writeAssets(place, scripts)).rejects.toThrow(/other users can write into .* with --directory/);
});
