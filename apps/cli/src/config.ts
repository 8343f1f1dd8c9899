import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HostView, Programs } from "@kintsugi/lab";
import { findProgram } from "@kintsugi/daemon";

/** The CLI's environment; the only place that reads it. */
export interface CliConfig {
  readonly environment: {
    KUBECONFIG: string | undefined;
    HOME: string | undefined;
    /** The default cluster of commands without --name. */
    KINTSUGI_NAME: string | undefined;
  };
  /** The whole environment, for programs that run on behalf of the user. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly host: HostView;
  readonly programs: Programs;
  /** The command of the cluster's supervisor, before the cluster's name. */
  readonly supervisorCommand: readonly string[];
  /** The command of the simulator, before its arguments. */
  readonly simulatorCommand: readonly string[];
  /** The directory of the built recording player. */
  readonly playerDirectory: string;
  /** The directories with the page of the playground and its worker. */
  readonly playgroundDirectories: readonly string[];
  /** The command of hollow nodes, before its arguments. */
  readonly hollowCommand: readonly string[];
  /** The command of a test server, before its arguments. */
  readonly testServerCommand: readonly string[];
  readonly gymCommand: readonly string[];
  readonly gamedayCommand: readonly string[];
  /** The replacements for envtest's programs. */
  readonly envtestCommands: { readonly kubeApiserver: readonly string[]; readonly etcd: readonly string[] };
  /** The command that verifies and restores snapshots, before its arguments. */
  readonly snapshotCommand: readonly string[];
  /** A secret, passed this way so that it need not be on the command line. */
  readonly bootstrapToken: string | undefined;
  /** Another secret: the key of a file control-plane.join. */
  readonly certificateKey: string | undefined;
  readonly colour: boolean;
  readonly kubectl: string | undefined;
  /** The project's directory; demo files are below it. */
  readonly repository: string;
}

export function readConfig(): CliConfig {
  const self = fileURLToPath(import.meta.url);
  const repository = join(dirname(self), "../../..");
  const fromSource = self.endsWith(".ts");
  const searchPath = process.env["PATH"] ?? "";
  return {
    environment: {
      KUBECONFIG: process.env["KUBECONFIG"],
      HOME: process.env["HOME"],
      KINTSUGI_NAME: process.env["KINTSUGI_NAME"],
    },
    inherited: process.env,
    host: { platform: process.platform, uid: process.getuid?.(), searchPath },
    programs: programsIn(repository, { fromSource, searchPath }),
    supervisorCommand: fromSource
      ? [...sourceRunner(repository), join(repository, "apps/cli/src/supervisor-main.ts")]
      : [process.execPath, join(repository, "apps/cli/bundle/supervisor-main.mjs")],
    simulatorCommand: serviceIn(repository, { name: "simulator" }, fromSource),
    playerDirectory: join(repository, "apps/dashboard/player/bundle"),
    playgroundDirectories: ["dashboard/playground", "playground"].map((app) => join(repository, "apps", app, "bundle")),
    testServerCommand: serviceIn(repository, { name: "test-server" }, fromSource),
    gymCommand: serviceIn(repository, { name: "test-server", program: "gym-main" }, fromSource),
    gamedayCommand: serviceIn(repository, { name: "test-server", program: "gameday-main" }, fromSource),
    envtestCommands: {
      kubeApiserver: serviceIn(repository, { name: "test-server", program: "kube-apiserver-main" }, fromSource),
      etcd: serviceIn(repository, { name: "test-server", program: "etcd-main" }, fromSource),
    },
    hollowCommand: serviceIn(repository, { name: "hollow" }, fromSource),
    bootstrapToken: process.env["KINTSUGI_BOOTSTRAP_TOKEN"],
    certificateKey: process.env["KINTSUGI_CERTIFICATE_KEY"],
    snapshotCommand: serviceIn(repository, { name: "api-server", program: "snapshot-main" }, fromSource),
    colour: process.env["NO_COLOR"] === undefined && process.stderr.isTTY === true,
    kubectl: process.env["KUBECTL"] ?? findProgram("kubectl", searchPath),
    repository,
  };
}

/** The built services; or, when this program runs from its sources, the services' sources too. */
function programsIn(repository: string, options: { fromSource: boolean; searchPath: string }): Programs {
  const host = (name: string): string[] => [findProgram(name, options.searchPath) ?? name];
  return {
    app: (folder) => serviceIn(repository, { name: folder }, options.fromSource),
    haproxy: host("haproxy"),
    natsServer: host("nats-server"),
    etcd: host("etcd"),
    containerd: host("containerd"),
  };
}

function serviceIn(
  repository: string,
  { name, program = "main" }: { name: string; program?: string },
  fromSource: boolean,
): string[] {
  return fromSource
    ? [...sourceRunner(repository), join(repository, "apps", name, `src/${program}.ts`)]
    : [process.execPath, join(repository, "apps", name, `bundle/${program}.mjs`)];
}

function sourceRunner(repository: string): string[] {
  const tsx = join(repository, "node_modules/tsx/dist/loader.mjs");
  return [process.execPath, "--conditions=@kintsugi/source", "--import", `file://${tsx}`];
}
