import { execFile } from "node:child_process";
import { chown, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../support/lab-cluster.ts";
import { mustRun, type ProgramResult, runProgram, type RunOptions } from "../support/run-program.ts";

/** The npm package, installed as a user gets it: into an empty folder, with an empty home. */
export interface InstalledPackage extends AsyncDisposable {
  /** The folder of the user, with node_modules. */
  readonly directory: string;
  readonly home: string;
  /** The words before the command, which run it as a user without rights and without a checkout. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** Runs `kintsugi` as that user. */
  kintsugi(args: readonly string[], options?: RunOptions): Promise<ProgramResult>;
  /** Runs `kintsugi` with the rights of this process. */
  asRoot(args: readonly string[], options?: RunOptions): Promise<ProgramResult>;
}

/** A user that owns nothing. */
const user = { uid: 65_534, gid: 65_534 };

export async function installPackage(): Promise<InstalledPackage> {
  await mustRun(process.execPath, [join(repository, "tools/package/build.mjs")], { timeoutMs: 120_000 });
  const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as { version: string };
  const place = await mkdtemp(join(tmpdir(), "kintsugi-package-"));
  const [directory, home, packages] = ["work", "home", "packages"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [directory, home, packages]) await mkdir(each, { recursive: true });
  const file = join(packages, "kintsugi.tgz");
  await cp(join(repository, `dist/kintsugi-${version}.tgz`), file);
  const files = [file, ...(await packDependencies(packages))];
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const each of [place, directory, home]) await chown(each, user.uid, user.gid);

  const environment = { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, HOME: home };
  const command = withoutCheckout(isRoot);
  const [program, ...words] = command;
  const asUser = (line: readonly string[], options: RunOptions) =>
    runProgram(program, [...words, "sh", "-c", 'cd "$0" && exec "$@"', directory, ...line], {
      ...options,
      env: { ...undefinedOf(process.env), ...environment, ...options.env },
    });
  const bin = join(directory, "node_modules/.bin/kintsugi");
  const installed = await asUser(["npm", "install", "--offline", "--ignore-scripts", "--no-audit", ...files], {});
  if (installed.code !== 0) throw new Error(`npm install ended with ${installed.code}: ${installed.stderr}`);
  return {
    directory,
    home,
    command: [program, ...words, process.execPath, bin],
    environment,
    kintsugi: (args, options = {}) => asUser([bin, ...args], options),
    asRoot: (args, options = {}) => runProgram(process.execPath, [bin, ...args], { timeoutMs: 170_000, ...options }),
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  };
}

/**
 * Packs classic-level and its dependencies from this checkout, so that no registry is needed.
 * Returns the files.
 */
async function packDependencies(directory: string): Promise<string[]> {
  const found = new Set<string>();
  const visit = async (name: string): Promise<void> => {
    if (found.has(name)) return;
    found.add(name);
    const manifest = await readFile(join(repository, "node_modules", name, "package.json"), "utf8");
    const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: object };
    for (const needed of Object.keys(dependencies)) await visit(needed);
  };
  await visit("classic-level");
  const folders = [...found].map((name) => join(repository, "node_modules", name));
  const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", directory, ...folders];
  const { stdout } = await promisify(execFile)("npm", words, { cwd: directory, maxBuffer: 16 * 1024 * 1024 });
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => join(directory, filename));
}

/** Root covers the checkout by an empty file system, and the rights are dropped. */
function withoutCheckout(isRoot: boolean): [string, ...string[]] {
  if (!isRoot) return ["env"];
  const cover = `mount -t tmpfs -o size=4k none '${repository}' && exec "$@"`;
  const drop = ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  return ["unshare", "--mount", "sh", "-c", cover, "sh", ...drop];
}

/**
 * The variables of this process, each without a value, because a user's shell lacks a test's
 * variables.
 */
function undefinedOf(variables: object): Record<string, undefined> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, undefined]));
}
